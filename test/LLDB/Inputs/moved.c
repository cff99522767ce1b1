/* Functions with a symbol of another name, and with a body of another file. */
volatile int Sink;

int aliased(int X) __asm__("__real_aliased");
static inline int __attribute__((always_inline)) twice(int X) { return X * 2; }

int __attribute__((noinline)) aliased(int X) {
  Sink = X;
  return twice(X) + Sink;
}

int __attribute__((noinline)) body(int X)
#include "moved.inc"

int main(int argc, char **argv) {
  return body(argc) + aliased(argc);
}
