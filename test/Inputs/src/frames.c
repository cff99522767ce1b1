// Frames of all sizes, for programs of Windows.
volatile int sink;
int _fltused;
__attribute__((noinline)) int tail(int n);

// More than a page: the stack is probed.
__attribute__((noinline)) int large(int n) {
  volatile char place[8192];
  place[sink] = n;
  return place[n / 2] + tail(n);
}

// A frame pointer.
__attribute__((noinline)) int withFramePointer(int n) {
  volatile char *place = __builtin_alloca(n);
  place[0] = n;
  return place[n / 2] + tail(n);
}

// Registers for floating point.
__attribute__((noinline)) double vectors(double a, double b, double c) {
  double sum = a;
  for (int i = 0; i < sink; i++)
    sum += tail(i) * b + c;
  return sum;
}

// Two ends.
__attribute__((noinline)) int tail(int n) {
  if (n > 1000)
    return large(n);
  sink += n;
  return n * 3;
}

// It ends with a jump.
__attribute__((noinline)) int jumps(int a, int b, int c) {
  int sum = tail(a) + tail(b);
  sink = sum;
  return tail(c + sum);
}

// All registers.
__attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f,
                                   int g, int h) {
  int sum = 0;
  for (int i = 0; i < a; i++)
    sum += tail(b + i) * tail(c + i) + tail(d) * tail(e) + tail(f) * tail(g) +
           tail(h) * tail(i);
  return sum;
}

__attribute__((noinline)) int leaf(int a) { return a * a + sink; }

void ___chkstk_ms(void) {}
void __chkstk(void) {}

int _start(void) {
  sink = leaf(3);
  return many(1, 2, 3, 4, 5, 6, 7, 8) + large(5) + withFramePointer(7) +
         (int)vectors(1, 2, 3) + jumps(1, 2, 3);
}
