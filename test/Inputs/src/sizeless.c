// A library with hidden functions after an exported function without a size.
#define NOINLINE __attribute__((noinline))
static NOINLINE int first(int X) {
  volatile int A = X;
  return A * 3;
}
__attribute__((visibility("hidden"))) NOINLINE int second(int X) {
  volatile int A = X;
  return first(A) + A * 5;
}
__attribute__((visibility("default"))) int run(int X) { return second(X) + 1; }
