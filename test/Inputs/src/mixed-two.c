volatile int Sink;

static __attribute__((noinline)) int localWithoutLines(int X) {
  return Sink * X;
}

int withoutLines(int X) {
  Sink = X;
  return localWithoutLines(X) + 1;
}
