// The program of the matrix in C and in C++; and in assembly, where work() is in work.s.
#include <stdio.h>

#ifdef __cplusplus
namespace matrix {
template <class T> struct Worker {
  __attribute__((noinline)) static T work(T n);
};
template <class T> __attribute__((noinline)) T Worker<T>::work(T n) {
  T sum = 0;
  for (T i = 0; i < n; ++i)
    sum += i * i % 7;
  return sum;
}
} // namespace matrix
#define work matrix::Worker<unsigned>::work
#elif defined(IN_ASSEMBLY)
unsigned work(unsigned n);
#else
__attribute__((noinline)) unsigned work(unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 0; i < n; ++i)
    sum += i * i % 7;
  return sum;
}
#endif

int main(int argc, char **argv) {
  (void)argv;
  printf("%u\n", work(argc));
  fflush(stdout);
  getchar();
  return 0;
}
