#include <stdarg.h>
#include <stdio.h>

int limit = 7;
static int counter = 3;

__attribute__((noinline)) int version(void) { return 3046; }
__attribute__((noinline)) const char *title(void) { return "a title"; }
__attribute__((noinline)) int twice(int n) { return n * 2; }
__attribute__((noinline)) int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int result = 0;
  for (int i = 0; i < count; ++i)
    result += va_arg(list, int);
  va_end(list);
  return result;
}

int main(int argc, char **argv) {
  ++counter;
  printf("%d %s %d %d %d\n", version(), title(), twice(argc), sum(2, 3, 4),
         counter);
  return limit == argc;
}
