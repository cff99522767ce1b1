/* Prints its stack as programs do that know only the addresses at run time. */
#include <execinfo.h>
#include <stdio.h>

volatile int Count;

__attribute__((noinline)) void show(void) {
  void *Stack[20];
  int Size = backtrace(Stack, 20);
  for (int I = 0; I != Size; ++I)
    printf("%4d: %#18lx - <unknown>\n", I, (unsigned long)Stack[I]);
}

__attribute__((noinline)) void inner(void) {
  show();
  ++Count;
}

__attribute__((noinline)) void outer(void) {
  inner();
  ++Count;
}

int main(void) {
  outer();
  return Count == 0;
}
