static void last(int *P) { *P = 42; }

static void check(int *P) { last(P); }

__attribute__((noinline)) void run(int *P) { check(P); }

int *volatile Nowhere;

int main(void) {
  run(Nowhere);
  return 0;
}
