// Starts as many threads as the argument says, each of which calls itself 20 times and
// sleeps; prints "ready", and then a line each 0.1 s, or, with another argument, ends its
// first thread.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int Sum;

__attribute__((noinline)) static int recurse(int N) {
  if (N == 0) {
    while (1)
      usleep(1000);
  }
  return recurse(N - 1) + Sum;
}

static void *start(void *Unused) {
  (void)Unused;
  Sum = recurse(20);
  return NULL;
}

int main(int Count, char **Arguments) {
  pthread_t Thread;
  for (int I = 0; I < (Count > 1 ? atoi(Arguments[1]) : 1); ++I)
    pthread_create(&Thread, NULL, start, NULL);
  usleep(200000);
  puts("ready");
  fflush(stdout);
  if (Count > 2)
    pthread_exit(NULL);
  while (1) {
    usleep(100000);
    puts("working");
    fflush(stdout);
  }
}
