#include <stdio.h>
#include <unistd.h>

/* Prints an address of its caller, as a profiler would see it, and waits. */
static __attribute__((noinline)) void sample(void) {
  printf("%p\n", __builtin_return_address(0));
  fflush(stdout);
  sleep(30);
}

static inline void serve(void) {
  sample();
  sample();
}

int main(void) {
  serve();
  return 0;
}
