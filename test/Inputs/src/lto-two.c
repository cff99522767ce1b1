/* With lto-one.c. */

volatile int Sink;

static inline __attribute__((always_inline)) int innermost(int X) {
  Sink = X;
  return Sink * 3;
}

int middle(int X) { return innermost(X + 2) ^ 5; }

__attribute__((noinline)) int outlined(int X) {
  Sink = X * 7;
  return middle(X) + Sink;
}
