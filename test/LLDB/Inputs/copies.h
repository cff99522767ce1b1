// Each unit that calls these functions has a copy of them.



// A breakpoint on lines without code can end up here.
inline __attribute__((noinline)) int inAll(int X) {
  volatile int Stored = X;
  return Stored + 1;
}





// Or here.
inline __attribute__((noinline)) int inTwo(int X) {
  volatile int Stored = X;
  return Stored + 2;
}
