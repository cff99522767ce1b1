/* A block whose rare half gcc moves away from its function. */
extern void fail(int Code) __attribute__((cold, noreturn));
volatile int Sink;

__attribute__((noinline)) void fail(int Code) {
  Sink = Code;
  for (;;)
    ;
}

__attribute__((noinline)) int block(int *Values, int Count) {
  int Sum = Sink;
  if (Count > 3) {
    int Inner = Values[1] * 3;
    if (Inner < 0) {
      Sink = Inner;
      fail(Inner + Count);
    }
    Sink = Inner;
    Sum += Inner;
  }
  return Sum ^ Count;
}

int _start(int *Values) { return block(Values, Sink) + 1; }
