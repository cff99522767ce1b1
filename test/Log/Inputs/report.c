/* Programs that the sanitizers of GCC report on: report (address|undefined|thread) */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

volatile int Shared;
static const struct timespec Long = {0, 200000000};
static inline __attribute__((always_inline)) int get(int *P, int I) {
  return P[I];
}

__attribute__((noinline)) int address(int Count) {
  int *P = malloc(16);
  free(P);
  return get(P, Count) + 1;
}

__attribute__((noinline)) int overflow(int Count) {
  return Count + 0x7fffffff;
}

static void *race(void *P) {
  Shared = 1;
  return P;
}

__attribute__((noinline)) int thread(int Count) {
  pthread_t T;
  pthread_create(&T, 0, race, 0);
  /* The report depends on which of the two writes is first. */
  nanosleep(&Long, 0);
  Shared = Count;
  pthread_join(T, 0);
  return 1;
}

int main(int Argc, char **Argv) {
  if (!strcmp(Argv[1], "address"))
    return address(Argc) + 1;
  if (!strcmp(Argv[1], "thread"))
    return thread(Argc) + 1;
  return overflow(Argc) + 1;
}
