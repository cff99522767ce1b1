/* For the containers: a few functions, one inlined call, a local function. */

volatile int Sink;

static inline __attribute__((always_inline)) int inner(int X) {
  Sink = X * 3;
  return Sink;
}

static __attribute__((noinline)) int hidden(int X) { return inner(X) + 1; }

__attribute__((noinline)) int visible(int X) {
  int Y = inner(X);
  return Y + hidden(X);
}

void _start(void) { Sink = visible(1); }
