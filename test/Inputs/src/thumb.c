/* Arm and Thumb code in one program: bit 0 of a Thumb function's symbol is no
   part of its address; $a, $t and $d symbols name no function. */

volatile int Sink;

static inline __attribute__((always_inline)) int inner(int X) {
  Sink = X * 3;
  return Sink;
}

__attribute__((target("thumb"), noinline)) int thumbFunction(int X) {
  int Y = inner(X) + 0x12345678;
  return Y + Sink;
}

__attribute__((target("arm"), noinline)) int armFunction(int X) {
  int Y = inner(X) + 0x23456789;
  return Y - Sink;
}

void _start(void) {
  Sink = thumbFunction(1);
  Sink = armFunction(2);
}
