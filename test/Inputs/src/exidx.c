// Frames as Arm's tables for exceptions have them: in the index, in a table of
// their own, behind a personality routine, and none.
typedef __SIZE_TYPE__ size_t;
volatile int sink;
__attribute__((noipa)) int other(int n) { sink = n; return n; }

// Its registers fit into the index.
__attribute__((noinline)) int inIndex(int a, int b) {
  return other(a) + other(b) + a;
}

// A large frame, and registers for floating point.
__attribute__((noinline)) double inTable(double a, double b) {
  volatile char place[4096];
  place[sink] = 1;
  double c = a * other(1), d = b * other(2);
  return c + d * other(place[0]) + a + b;
}

// A frame pointer.
__attribute__((noinline)) int withFramePointer(int n) {
  volatile char *place = __builtin_alloca(n);
  place[0] = 1;
  return other(place[n / 2]) + n;
}

// A personality routine.
static void clean(int *value) { other(*value); }
__attribute__((noinline)) int withCleanup(int a, int b) {
  __attribute__((cleanup(clean))) int value = a;
  return other(b) + other(a) * b;
}
void __gcc_personality_v0(void) {}
void __aeabi_unwind_cpp_pr0(void) {}
void __aeabi_unwind_cpp_pr1(void) {}
void _Unwind_Resume(void) {}
void __cxa_end_cleanup(void) {}

// No table.
__asm__(".text\n.thumb\n.thumb_func\n.globl cannot\n.type cannot, %function\n"
        "cannot:\n.fnstart\n.cantunwind\npush {r4, lr}\nbl other\n"
        "pop {r4, pc}\n.fnend\n.size cannot, . - cannot\n");
int cannot(int n);

void _start(void) {
  inIndex(1, 2);
  inTable(1, 2);
  withFramePointer(8);
  withCleanup(1, 2);
  cannot(3);
  for (;;)
    ;
}
