/* Code in several sections, as in a kernel module: each begins at address 0 of its own. */
#define IN(NAME) __attribute__((section(NAME), noinline))

volatile int seen;

static inline __attribute__((always_inline)) int twice(int x) {
  seen = x;
  return x * 2;
}

IN(".init.text") int start(int x) {
  return twice(x + 1) + 3;
}

int run(int x) {
  return twice(x) - 1;
}

IN(".exit.text") int stop(int x) {
  seen = 7;
  return twice(x - 1);
}
