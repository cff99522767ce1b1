// 128 KiB of code between two functions. Linked to 64 KiB, the offset of each is an
// address of the code in between.
#include <time.h>

__attribute__((noinline)) static int first(int N) {
  int Sum = 0;
  for (volatile int I = 0; I < 1000; I++)
    Sum += I ^ N;
  return Sum;
}

__asm__(".text\n.globl between\n.type between,@function\nbetween:\n"
        ".fill 131072,1,0x90\nret\n.size between,.-between\n");

__attribute__((noinline)) static int second(int N) {
  return first(N) + first(N + 1);
}

int main(void) {
  int Sum = 0;
  for (time_t End = time(0) + 1; time(0) <= End;)
    Sum += second(Sum);
  return Sum & 1;
}
