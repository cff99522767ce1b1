// Says that it is running, and waits in calls inlined into each other.
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

volatile int Done;

static inline __attribute__((always_inline)) void waitHere(void) {
  while (!Done)
    usleep(1000);
}

__attribute__((noinline)) void serve(void) { waitHere(); }

int main(void) {
  // Any process may attach, also where only parents may (Yama).
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  puts("ready");
  fflush(stdout);
  serve();
  return 0;
}
