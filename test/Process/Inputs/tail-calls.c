// Waits, or runs a command with this process, below tail calls:
// tail-calls one|two|pointer|handler|loop [COMMAND]
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

volatile int sink;
static char command[1000];

NOINLINE void leaf(int x) {
  sink = x;
  if (command[0]) {
    sink = system(command);
    _exit(0);
  }
  pause();
  sink++;
}
NOINLINE void second(int x) {
  sink++;
  leaf(x + 1);
}
NOINLINE void first(int x) {
  sink++;
  second(x + 1);
}
NOINLINE int top(int x) {
  first(x + 1);
  return sink + x;
}
NOINLINE int one(int x) { return top(x) + sink; }

NOINLINE void left(int x) {
  sink += 2;
  leaf(x);
}
NOINLINE void right(int x) {
  sink += 3;
  leaf(x);
}
NOINLINE void either(int x) {
  if (x & 1)
    left(x);
  else
    right(x);
}
NOINLINE int two(int x) {
  either(x);
  return sink;
}

void (*volatile function)(int) = leaf;
NOINLINE void jumps(int x) {
  if (sink == 77)
    second(x);
  else
    function(x);
}
NOINLINE int pointer(int x) {
  jumps(x);
  return sink;
}

NOINLINE void even(int x);
NOINLINE void odd(int x) {
  sink++;
  even(x - 1);
}
NOINLINE void even(int x) {
  sink++;
  if (x > 0)
    odd(x - 1);
  else
    leaf(x);
}
NOINLINE int loop(int x) {
  even(x + 8);
  return sink;
}

static void handler(int number) { sink = top(number); }

int main(int argc, char **argv) {
  if (argc > 2)
    snprintf(command, sizeof(command), "%s --pid=%d", argv[2], getpid());
  if (!strcmp(argv[1], "one"))
    return one(argc);
  if (!strcmp(argv[1], "two"))
    return two(argc);
  if (!strcmp(argv[1], "pointer"))
    return pointer(argc);
  if (!strcmp(argv[1], "loop"))
    return loop(argc & ~1);
  signal(SIGUSR1, handler);
  kill(getpid(), SIGUSR1);
  return sink;
}
