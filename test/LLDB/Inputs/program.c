// Calls into a shared library that calls back.
extern int (*Hook)(int);
int apply(int X);

volatile int Sink;

static inline __attribute__((always_inline)) int twice(int X) {
  Sink = X;
  return 2 * Sink;
}

__attribute__((noinline)) static int callback(int X) { return twice(X); }

int main(int argc, char **argv) {
  Hook = callback;
  return apply(argc) == 0;
}
