/* The program of samply.json.gz:
   gcc -g -O1 -fno-omit-frame-pointer samply.c -o hot */
#include <stdio.h>

__attribute__((noinline)) static int inner(int x) {
  volatile int sum = 0;
  for (int i = 0; i < 20000000; ++i)
    sum += i ^ x;
  return sum;
}

static inline int middle(int x) { return inner(x) + 1; }

__attribute__((noinline)) static int outer(int x) {
  return middle(x) + middle(x + 1);
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; ++i)
    sum += outer(i);
  printf("%d\n", sum);
  return 0;
}
