#include <stdlib.h>

__attribute__((noinline)) static void giveUp(int Value) {
  if (Value == 0)
    abort(); // cause: library
}

volatile int LibrarySink;

void failInLibrary(int Value) {
  giveUp(Value);
  LibrarySink = 1;
}
