// Tail calls: of functions that are static, in a chain, in two ways, and from
// an inlined function.

static volatile int Sink;

#define APART __attribute__((noinline))

APART int leaf(int N) {
  Sink = N;
  return N + 1;
}

APART static int middle(int N) { return leaf(N * 2); }

APART int outer(int N) {
  if (Sink == 7)
    return leaf(N);
  return middle(N + 3);
}

APART int once(int N) { return leaf(N - 1); }

static inline int within(int N) {
  if (N > 100)
    return 0;
  return once(N);
}

APART int mixed(int N) {
  Sink = 3;
  return within(N + 1);
}

APART int ordinary(int N) { return middle(N) + once(N) + 5; }

int main(void) {
  int Sum = once(1);
  Sum += middle(2);
  Sum += mixed(3);
  Sum += ordinary(4);
  Sum += outer(5);
  return Sum == 0;
}
