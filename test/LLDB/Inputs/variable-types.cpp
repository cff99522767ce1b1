#include <cstdio>

namespace shapes {
template <class T> struct Heap {
  T *place = nullptr;
};
template <class T, class A = Heap<T>, int N = 4> struct List {
  A memory;
  T first = T();
  int size = N;
};
template <template <class> class M, class T> struct Held {
  M<T> memory;
  T value = T();
};
int limit = 12;
static int steps = 1;
} // namespace shapes

template <class F, class... A>
__attribute__((noinline)) int call(F f, int before, A... rest) {
  std::printf("%d\n", before);
  return f(rest...);
}

int add(int a, int b) { return a + b; }

__attribute__((noinline)) int measure(int n) {
  shapes::List<int> plain;
  shapes::List<char, shapes::Heap<char>, 8> odd;
  shapes::Held<shapes::Heap, short> held;
  plain.first = n;
  held.value = short(n + 1);
  int e = n;
  {
    int e = odd.size;
    shapes::steps += e + plain.first + held.value;
    std::printf("%d\n", e);
  }
  return e + shapes::limit;
}

int main(int argc, char **) {
  return measure(argc) + call(add, 1, argc, 5) + shapes::steps == 0;
}
