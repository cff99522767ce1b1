// A program whose functions are in an object, and in two files of an archive. See map-two.c
// and map-three.s.

int helper(int);
int assembled(int);

int unusedOne(int X) { return X * 3; }

static inline int twice(int X) {
  volatile int Y = X;
  return Y + Y;
}

__attribute__((noinline)) int beta(int X) { return twice(X) + assembled(X); }

__attribute__((noinline)) int alpha(int X) {
  return twice(X) + helper(X + 1) + beta(X);
}

int start(void) { return alpha(4); }
