static inline int square(int X) {
  volatile int Y = X;
  return Y * Y;
}

// The other object has a function of this name, too.
__attribute__((noinline)) static int twice(int X) {
  return X * 2 + square(X);
}

int unusedTwo(int X) { return X * 5; }

int helper(int X) { return twice(X) + square(X + 1); }
