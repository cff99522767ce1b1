// Calls by a pointer, which is in the frame of the caller or in a register that
// the callee preserves, of a function that ends with a tail call.

#include <setjmp.h>

static volatile int Sink;

#define APART __attribute__((noinline))

APART int leaf(int N) {
  Sink = N;
  return N + 1;
}

APART int middle(int N) { return leaf(N * 2); }

APART int other(int N) { return N - 1; }

typedef int Function(int);

Function *volatile Chosen = middle;

APART int twice(Function *Callee) {
  int Sum = Callee(Sink);
  return Sum + Callee(Sum);
}

// setjmp() makes the compiler keep the pointer in memory.
APART int fromStack(Function *Callee) {
  jmp_buf Buffer;
  if (setjmp(Buffer))
    return 0;
  int Sum = Callee(Sink + 1);
  return Sum + Sink;
}

int main(int Count, char **Args) {
  (void)Args;
  Function *Callee = Count > 5 ? other : Chosen;
  int Sum = twice(Callee);
  Sum += fromStack(Callee);
  return Sum == 0;
}
