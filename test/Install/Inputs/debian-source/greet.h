static inline __attribute__((always_inline)) int twice(int value) {
  volatile int copy = value;
  return copy + copy;
}
