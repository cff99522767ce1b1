/* One function whose rows come from several files: an included fragment,
   `#line`, macros, and an inlined call within the fragment. */

volatile int Sink;

static inline __attribute__((always_inline)) int helper(int X) {
  Sink = X * 3;
  return Sink;
}

#define STEP(X)                                                                \
  do {                                                                         \
    Sink = (X);                                                                \
    Sink += 2;                                                                 \
  } while (0)

__attribute__((noinline)) int assembled(int X) {
  Sink = X;
#include "fragment.inc"
  Sink = X + 1;
  STEP(X + 2);
#line 100 "generated.y"
  Sink = X + 3;
  Sink = X + 4;
#line 24 "fragment.c"
  Sink = X + 5;
  return helper(X);
}

/* The whole body is from the other file. */
__attribute__((noinline)) int body(int X)
#include "fragment-body.inc"

void _start(void) {
  Sink = assembled(1);
  Sink = body(2);
}
