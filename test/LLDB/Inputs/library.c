volatile int Count;

static inline __attribute__((always_inline)) int counted(int (*F)(int), int X) {
  Count += 1;
  int Result = F(X);
  Count += 1;
  return Result;
}

__attribute__((noinline)) int apply(int (*F)(int), int X) {
  return counted(F, X) + 1;
}
