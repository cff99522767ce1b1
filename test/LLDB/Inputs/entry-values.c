/* Arguments that functions overwrite: debuggers compute them from what the call
   passed. */
volatile int Sink;

__attribute__((noinline)) void stop(int X) { Sink = X; }

__attribute__((noinline)) int direct(int A, long B) {
  stop(A ^ (int)B);
  Sink += 1;
  return Sink * 3;
}

/* gcc and clang describe the call in the inlined one, where LLDB does not see it. */
static inline __attribute__((always_inline)) int inlined(int A) {
  return direct(A * 7, 5) + 1;
}

__attribute__((noinline)) int pointed(int A) {
  stop(A * 3);
  return Sink * 5;
}

int (*volatile Pointer)(int) = pointed;

int other(int A, int B);

int main(int argc, char **argv) {
  int Sum = direct(42, 9);
  Sum += inlined(argc + 2);
  Sum += Pointer(argc + 77);
  Sum += other(argc + 10, 6) + Sink;
  return Sum == 0;
}
