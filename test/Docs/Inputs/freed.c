#include <stdlib.h>

static inline int first(int *P) { return P[0]; }

__attribute__((noinline)) int use(int *P) { return first(P) + 1; }

int main(void) {
  int *P = malloc(4);
  free(P);
  return use(P);
}
