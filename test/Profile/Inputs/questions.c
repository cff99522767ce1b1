/* A program about which people ask questions. A worker, on processor 0, parses,
   looks up and collects, and at last makes a slow query; keep() and grow()
   touch new pages. Another thread mostly waits. Built with -DRELEASE=2,
   lookup() takes four times as long, and grow() touches eight times as many
   pages. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile unsigned Sink;

/* Processor time, so that a busy machine does not change what is measured. */
static double used(void) {
  struct timespec T;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return T.tv_sec + T.tv_nsec / 1e9;
}

/* Repeats a statement for so long. A macro, so that the time is the function's
 * own. */
#define REPEAT_FOR(Seconds)                                                    \
  for (double End = used() + (Seconds); used() < End;)                         \
    for (unsigned I = 0; I != 20000; ++I)
#define SPEND(Seconds) REPEAT_FOR(Seconds) Sink += I

APART static void parse(void) {
  REPEAT_FOR(0.2)
  Sink = Sink * 33 + I; /* hot */
}

APART static void lookup(void) { SPEND(RELEASE == 2 ? 0.2 : 0.05); }

APART static void collect(void) { SPEND(0.1); }

APART static void slow_query(void) { SPEND(0.3); }

static char *allocate(size_t Pages) {
  return mmap(NULL, Pages * 4096, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

APART static void fill(char *Memory, size_t Pages) {
  for (size_t I = 0; I != Pages; ++I)
    Memory[I * 4096] = 1;
  SPEND(0.03);
}

APART static void keep(void) { fill(allocate(3000), 3000); }

APART static void grow(void) {
  size_t Pages = RELEASE == 2 ? 8000 : 1000;
  char *Memory = allocate(Pages);
  for (size_t I = 0; I != Pages; ++I)
    Memory[I * 4096] = 1;
}

static void *work(void *Unused) {
  cpu_set_t Set;
  CPU_ZERO(&Set);
  CPU_SET(0, &Set);
  sched_setaffinity(0, sizeof(Set), &Set);
  pthread_setname_np(pthread_self(), "worker");
  parse();
  lookup();
  collect();
  keep();
  grow();
  slow_query();
  return Unused;
}

static void *wait_long(void *Unused) {
  pthread_setname_np(pthread_self(), "waiter");
  SPEND(0.02);
  usleep(10000);
  return Unused;
}

int main(void) {
  pthread_t Worker, Waiter;
  pthread_create(&Worker, NULL, work, NULL);
  pthread_create(&Waiter, NULL, wait_long, NULL);
  pthread_join(Worker, NULL);
  pthread_join(Waiter, NULL);
  return 0;
}
