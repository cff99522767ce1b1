#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) int readFreed(int *Values) {
  free(Values);
  return Values[1]; // cause: use-after-free
}

__attribute__((noinline)) int writePast(int *Values, int Count) {
  for (int I = 0; I <= Count; ++I)
    Values[I] = I; // cause: heap-overflow
  return Values[0];
}

int main(int Count, char **Args) {
  int *Values = malloc(4 * sizeof(int));
  memset(Values, 0, 4 * sizeof(int));
  if (Count > 1 && !strcmp(Args[1], "use-after-free"))
    return readFreed(Values);
  return writePast(Values, 4);
}
