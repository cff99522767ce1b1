/* Enough calls for the RISC-V linker to relax: addresses in the DWARF are
   relocated, differences come from ADD/SUB relocations or fixed advances. */

volatile int Sink;
int far(int X);

static inline __attribute__((always_inline)) int inner(int X) {
  Sink = X * 3;
  return far(Sink);
}

__attribute__((noinline)) int relaxed(int X) {
  int Y = inner(X) + far(X);
  Y += inner(Y);
  return Y + Sink;
}

__attribute__((noinline)) int far(int X) {
  Sink = X;
  return Sink + 1;
}

void _start(void) {
  Sink = relaxed(1);
  Sink = far(2);
}
