// Calls inlined into each other, in a function that is called.
#include <stdio.h>

volatile int Sink;

static inline __attribute__((always_inline)) int inner(int X) {
  Sink += X;
  return Sink * 2;
}

static inline __attribute__((always_inline)) int middle(int X) {
  return inner(X) + 1;
}

__attribute__((noinline)) int outer(int X) {
  int Y = middle(X);
  Sink = Y;
  return Y;
}

int main(int argc, char **argv) {
  int Result = outer(argc);
  printf("the result is %d\n", Result);
  return 0;
}
