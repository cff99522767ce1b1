static inline __attribute__((always_inline)) void inlined(volatile int *p, int x) {
  p[0] = x;
  p[1] = x + 1;
}
void first(volatile int *p, int x) {
  inlined(p, x);
}
void second(volatile int *p, int x) {
  p[0] = x;
}
