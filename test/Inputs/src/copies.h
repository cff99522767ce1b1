// Each unit that calls these functions has a copy of them. GNU ld keeps one, and
// lets the debug information of the others refer to it. Line numbers are part of
// the tests.

extern volatile int Sink;

inline __attribute__((noinline)) int inAll(int X) {
  Sink = X;
  return Sink + 1;
}

inline __attribute__((noinline)) int inTwo(int X) {
  Sink = X + 2;
  return Sink;
}
