/* With lto-two.c: calls inlined across compile units. */

extern volatile int Sink;
int middle(int X);
int outlined(int X);

static inline __attribute__((always_inline)) int local(int X) {
  return middle(X) + 1;
}

__attribute__((noinline, used)) int first(int X) {
  int Y = local(X);
  return Y + Sink;
}

void _start(void) {
  Sink = first(1);
  Sink = outlined(2);
}
