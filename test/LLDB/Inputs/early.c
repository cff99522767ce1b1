// Functions whose first line is decided before their prologue ends.
#include <stddef.h>

struct node {
  struct node *next;
  int value;
};

int Sink;

__attribute__((noinline)) int first(const struct node *p) {
  if (!p)
    return 0;
  Sink += p->value;
  return Sink;
}

// No code belongs to the lines of this comment, nor to those of the
// declaration below.
extern int unused(int);

static inline int twice(int x) {
  int y = x + Sink;

  return 2 * y;
}

__attribute__((noinline)) int sum(const struct node *p) {
  int total = 0;
  for (; p; p = p->next) {
    total += p->value;
    if (total > 100)
      break;
  }
  return twice(total);
}

int main(int argc, char **argv) {
  struct node last = {NULL, argc};
  struct node list = {&last, 2};
  int result = first(NULL);
  result += first(&list);
  result += sum(&list);
  return result == (int)(size_t)argv;
}
