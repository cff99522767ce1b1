// An inlined call that calls a function.

volatile int Sink;

__attribute__((noinline)) int callee(int X) {
  Sink += X;
  return Sink;
}

static inline __attribute__((always_inline)) int inlined(int X) {
  int Y = callee(X);
  Sink = Y;
  return Y * 2;
}

int main(int argc, char **argv) {
  int Result = inlined(argc);
  Sink = Result;
  return 0;
}
