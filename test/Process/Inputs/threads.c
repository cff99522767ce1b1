/* Two threads that wait in a function of their own, without a frame of libc on top,
 * which would have no frame pointer. With an argument the first one crashes. Prints
 * an empty line when both are there. */
#include <pthread.h>
#include <sys/syscall.h>

/* The instruction behind the call belongs to the same line. */
#if defined(__x86_64__)
#define CALL(result, number, a, b, c)                                          \
  __asm__ volatile("xor %%r10d, %%r10d\n\tsyscall\n\tnop"                      \
                   : "=a"(result)                                              \
                   : "0"(number), "D"(a), "S"(b), "d"(c)                       \
                   : "rcx", "r10", "r11", "memory")
#elif defined(__aarch64__)
#define CALL(result, number, a, b, c)                                          \
  __asm__ volatile("mov x8, %1\n\tmov x0, %2\n\tmov x1, %3\n\tmov x2, %4\n\t"  \
                   "mov x3, 0\n\tsvc 0\n\tnop\n\tmov %0, x0"                   \
                   : "=r"(result)                                              \
                   : "r"((long)(number)), "r"((long)(a)), "r"((long)(b)),      \
                     "r"((long)(c))                                            \
                   : "x0", "x1", "x2", "x3", "x8", "memory")
#endif

static volatile int there;
static volatile long sink;

/* A function that calls none has no frame with some compilers. */
__attribute__((noinline)) static void nothing(void) { sink = 1; }

__attribute__((noinline)) static void innermost(int is_first, int crash) {
  long result = 0;
  nothing();
  __atomic_add_fetch(&there, 1, __ATOMIC_SEQ_CST);
  while (is_first && there != 2)
    ;
  if (is_first)
    CALL(result, SYS_write, 1, "\n", 1);
  if (crash)
    __builtin_trap();
  while (there != 0)
    CALL(result, SYS_ppoll, 0, 0, 0);
  sink = result;
}

__attribute__((noinline)) static void middle(int is_first, int crash) {
  innermost(is_first, crash);
  sink = 2;
}

static void *start(void *arg) {
  middle(0, 0);
  return arg;
}

int main(int argc, char **argv) {
  pthread_t thread;
  (void)argv;
  pthread_create(&thread, 0, start, 0);
  middle(1, argc > 1);
  return 0;
}
