// One error for each sanitizer, through an inlined call with a template in it.
#include <cstdlib>
#include <pthread.h>

namespace ns {
template <class T> struct Box {
  T *Data;
  __attribute__((always_inline)) T get(int I) const { return Data[I]; }
};
} // namespace ns

int Table[4] = {1, 2, 3, 4};
static int Shared;
// Orders the threads in time, but not by the rules of memory.
static int Written;

__attribute__((noinline)) static int heap(int I) {
  ns::Box<int> B{static_cast<int *>(std::malloc(16))};
  int Result = B.get(I);
  std::free(B.Data);
  return Result;
}

__attribute__((noinline)) static int global(int I) { return Table[I]; }

__attribute__((noinline)) static int stack(int I) {
  int Local[4] = {};
  volatile int *Data = Local;
  return Data[I];
}

__attribute__((noinline)) static int overflow(int I) { return I + 0x7fffffff; }

static void *race(void *) {
  Shared = 1;
  __atomic_store_n(&Written, 1, __ATOMIC_RELAXED);
  return nullptr;
}

__attribute__((noinline)) static int thread(int I) {
  pthread_t T;
  pthread_create(&T, nullptr, race, nullptr);
  while (!__atomic_load_n(&Written, __ATOMIC_RELAXED)) {
  }
  Shared = I;
  pthread_join(T, nullptr);
  return Shared;
}

int main(int Count, char **Words) {
  int I = 3 + Count - 1;
  switch (Count > 1 ? Words[1][0] : 0) {
  case 'h':
    return heap(I);
  case 'g':
    return global(I);
  case 's':
    return stack(I);
  case 'o':
    return overflow(I) == 0;
  case 't':
    return thread(I) == 0;
  }
  return 0;
}
