#include <stdlib.h>

static inline __attribute__((always_inline)) int inner(int value) {
  if (value)
    abort();
  return value;
}

__attribute__((noinline)) int middle(int value) {
  return inner(value) + value;
}

int main(int argc, char **argv) {
  return middle(argc) + (argv == 0);
}
