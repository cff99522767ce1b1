// main calls outer, outer calls middle, and middle calls inner by qsort. With
// SPIN set, inner is busy for a while; else it waits for the file "go", and
// crashes.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

volatile long sink;

__attribute__((noinline)) void inner(void) {
  if (getenv("SPIN")) {
    while (sink < 1000000000)
      sink++;
    return;
  }
  close(creat("ready", 0600));
  while (access("go", F_OK))
    usleep(1000);
  *(volatile int *)8 = 1;
}

static int compare(const void *a, const void *b) {
  inner();
  sink++;
  return 0;
}

__attribute__((noinline)) void middle(int *values) {
  qsort(values, 2, sizeof(*values), compare);
  sink++;
}

__attribute__((noinline)) void outer(void) {
  int values[2] = {2, 1};
  middle(values);
  sink += values[0];
}

int main(void) {
  outer();
  return 0;
}
