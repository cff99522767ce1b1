int (*Hook)(int);
volatile int Count;

static inline __attribute__((always_inline)) int counted(int X) {
  Count += 1;
  int Result = Hook(X);
  Count += 1;
  return Result;
}

__attribute__((noinline)) int apply(int X) { return counted(X) + 1; }
