/* Functions in two pieces, hot and cold, and inlined calls with code in both:
   DW_AT_ranges on DW_TAG_subprogram and on DW_TAG_inlined_subroutine. */

volatile int Sink;

__attribute__((cold, noinline)) void complain(int X) { Sink = -X; }

static inline __attribute__((always_inline)) int check(int X) {
  if (X < 0) {
    Sink = 1;
    complain(X);
    Sink = 2;
  }
  return X * 2 + Sink;
}

__attribute__((noinline)) int split(int X) {
  Sink = X;
  int Y = check(X + 3);
  if (Y == 77) {
    complain(Y);
    Sink = Y * 5;
  }
  return Y + Sink;
}

__attribute__((noinline)) int alsoSplit(int X) {
  int Y = check(X) + check(X - 100);
  return Y + Sink;
}

/* Independent work of two inlined calls that the scheduler interleaves. */
static inline __attribute__((always_inline)) long mix(const long *P, long K) {
  long A = P[0] * K, B = P[1] ^ K, C = P[2] + K, D = P[3] - K;
  return (A ^ B) * (C ^ D) + (A + C) * (B + D);
}

__attribute__((noinline)) long interleaved(const long *P, const long *Q) {
  long X = mix(P, 3);
  long Y = mix(Q, 5);
  return X * Y;
}

void _start(void) {
  long V[4] = {1, 2, 3, 4};
  Sink = split(1) + alsoSplit(2);
  Sink = (int)interleaved(V, V);
}
