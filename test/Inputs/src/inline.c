/* Calls inlined ten deep: at the statement of `ten` the chain is
   ten .. one, in `chain`. Line numbers are part of the tests: append only. */

#define INLINE static inline __attribute__((always_inline))

volatile int Sink;

INLINE int ten(int X) {
  Sink = X * 3;
  return Sink + 10;
}
INLINE int nine(int X) { return ten(X + 9) ^ 9; }
INLINE int eight(int X) { return nine(X + 8) ^ 8; }
INLINE int seven(int X) { return eight(X + 7) ^ 7; }
INLINE int six(int X) { return seven(X + 6) ^ 6; }
INLINE int five(int X) { return six(X + 5) ^ 5; }
INLINE int four(int X) { return five(X + 4) ^ 4; }
INLINE int three(int X) { return four(X + 3) ^ 3; }
INLINE int two(int X) {
  Sink = X;
  return three(X + 2) ^ 2;
}
INLINE int one(int X) { return two(X + 1) ^ 1; }

__attribute__((noinline)) int chain(int X) {
  int Sum = one(X);
  Sum += Sink;
  return Sum;
}

/* Twice the same function in one line: only columns tell the calls apart. */
__attribute__((noinline)) int twice(int X) {
  return five(X) + five(X * 2);
}

static __attribute__((noinline)) int local(int X) {
  Sink = X;
  return Sink;
}

void _start(void) {
  Sink = chain(1);
  Sink = twice(2);
  Sink = local(3);
  for (;;)
    Sink++;
}
