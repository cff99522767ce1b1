// Calls into a shared library that calls back.
int apply(int (*F)(int), int X);

volatile int Sink;

static inline __attribute__((always_inline)) int twice(int X) {
  Sink = X;
  return 2 * Sink;
}

__attribute__((noinline)) static int callback(int X) { return twice(X); }

int main(int argc, char **argv) { return apply(callback, argc) == 0; }
