// For WebAssembly, without a library.
static int Values[4] = {1, 2, 3, 4};

static inline __attribute__((always_inline)) int divide(int A, int B) {
  return A / B;
}

static __attribute__((noinline)) int average(const int *From, int Count) {
  int Sum = 0;
  for (int I = 0; I < Count; ++I)
    Sum += From[I];
  return divide(Sum, Count);
}

__attribute__((export_name("run"))) int run(int Count) {
  return average(Values, Count) + 1;
}
