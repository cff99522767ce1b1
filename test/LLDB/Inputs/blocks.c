#include <stdlib.h>

static volatile int Sink;

__attribute__((noinline)) int sum(const int *Values, int Count, int Limit) {
  int Total = 0;
  // Rows of this line are in several blocks.
  for (int I = 0, J = Count - 1; I < J; ++I, --J) { int Low = Values[I]; int High = Values[J]; Total += Low * High + Limit; Sink = Total; }
  return Total;
}

static inline int step(int Seed) {
  for (int K = 0; K < 3; ++K) { int Next = Seed * 1103515245 + K; Sink = Next; if (Next & 4) { int Odd = Next >> 2; Sink = Odd; Seed ^= Odd; } }
  return Seed;
}

int main(int argc, char **argv) {
  int Values[100];
  for (int I = 0; I < 100; ++I) { int V = I * 37 % 97; Values[I] = step(V); }
  int Total = sum(Values, 100, 40 + argc);
  for (int I = 0; I < 100; ++I) { int V = Values[I]; Sink = step(V + Total); }
  return Total == 7;
}
