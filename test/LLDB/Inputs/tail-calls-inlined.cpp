#include <cstdio>
#include <cstdlib>
#include <vector>

__attribute__((noinline)) int last(int x) {
  volatile int y = x * 3;
  if (x > 1000)
    std::abort();
  return y;
}
__attribute__((noinline)) int first(int x) { return last(x + 1); }

static inline int wrap(int x) {
  std::vector<int> v(x);
  v.push_back(3);
  int r = first(x);
  if (r > 50000)
    throw 1;
  return r + v[0];
}

__attribute__((noinline)) int deep(int n) {
  return std::printf("%d\n", n);
}
__attribute__((noinline)) int middle(int n, int mode) {
  int r = deep(n + mode);
  return deep(n) + r;
}
__attribute__((noinline)) int chosen(int n) { return middle(n + 7, 3); }

int main(int argc, char **argv) {
  try {
    return wrap(argc) + chosen(argc);
  } catch (int) {
    return 3;
  }
}
