// Linked with --gc-sections: `dropped*` go, their DIEs and line rows stay
// behind at the linker's tombstone. Line numbers are part of the tests.

volatile int Sink;

__attribute__((noinline)) int kept(int X) {
  Sink = X;
  return Sink + 1;
}

static inline __attribute__((always_inline)) int inlinedIntoBoth(int X) {
  Sink = X + 2;
  return Sink;
}

__attribute__((noinline)) int dropped(int X) {
  Sink = inlinedIntoBoth(X);
  return Sink + 3;
}

__attribute__((noinline)) int droppedToo(int X) { return dropped(X) + 4; }

__attribute__((noinline)) int alsoKept(int X) {
  return inlinedIntoBoth(X) + 5;
}

extern "C" void _start() {
  Sink = kept(1);
  Sink = alsoKept(2);
}
