/* Prints the stack in the form of backtrace_symbols(). */
#include <execinfo.h>

volatile int Count;

static inline __attribute__((always_inline)) void show(void) {
  void *Stack[20];
  int Size =
      backtrace(Stack, 20);
  backtrace_symbols_fd(Stack, Size, 2);
}

static __attribute__((noinline)) void hidden(void) {
  show();
  ++Count;
}

__attribute__((noinline)) void visible(void) {
  hidden();
  ++Count;
}

int main(void) {
  visible();
  return Count == 0;
}
