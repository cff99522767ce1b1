/* A library, loaded more than once by live.c. */
static int inlined(int x) {
  volatile int y = x;
  return y * 2;
}

int in_library(int x) { return inlined(x) + 1; }
