// Ends, by abort() or a fault, in the situation that the argument names. For
// stack-situations.test: gdb's stacks of these are the expected ones.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

volatile int Zero;

NOINLINE static void die() {
  asm volatile("");
  abort();
}

// Two exceptions in flight: a destructor throws, and catches, while another
// exception unwinds.
NOINLINE static void throwAnother() { throw std::runtime_error("second"); }

struct Guard {
  NOINLINE ~Guard() {
    try {
      throwAnother();
    } catch (std::exception &) {
      die();
    }
  }
};

NOINLINE static int throwOne(int N) {
  Guard G;
  if (N == Zero)
    throw std::logic_error("first");
  return throwOne(N - 1) + 1;
}

NOINLINE static void exceptions() {
  try {
    throwOne(3);
  } catch (std::exception &) {
    Zero = 1;
  }
}

// In a handler, on the same stack or another one.
NOINLINE static void onSignal(int) { die(); }

static void handle(int Signal, int Flags) {
  struct sigaction Action;
  memset(&Action, 0, sizeof(Action));
  Action.sa_handler = onSignal;
  Action.sa_flags = Flags;
  sigaction(Signal, &Action, nullptr);
}

NOINLINE static void inHandler() {
  handle(SIGUSR1, 0);
  raise(SIGUSR1);
  Zero = 2;
}

NOINLINE static void faultInHandler() {
  handle(SIGSEGV, 0);
  *reinterpret_cast<volatile int *>(long(Zero) + 8) = 1;
  Zero = 2;
}

static void useOtherStack() {
  static char Other[1 << 16];
  stack_t Stack;
  Stack.ss_sp = Other;
  Stack.ss_size = sizeof(Other);
  Stack.ss_flags = 0;
  sigaltstack(&Stack, nullptr);
}

NOINLINE static void onOtherStack() {
  useOtherStack();
  handle(SIGUSR1, SA_ONSTACK);
  raise(SIGUSR1);
  Zero = 2;
}

NOINLINE static int recurse(volatile int *From) {
  volatile int Local[64];
  Local[0] = *From;
  return recurse(Local) + Local[0];
}

NOINLINE static void overflow() { Zero = recurse(&Zero); }

NOINLINE static void overflowHandled() {
  useOtherStack();
  handle(SIGSEGV, SA_ONSTACK);
  Zero = recurse(&Zero);
}

// A call of a null pointer.
NOINLINE static void jumpToZero() {
  void (*volatile Function)() = nullptr;
  Function();
  Zero = 3;
}

// The same, with a handler that ends the program, as crash reporters do.
NOINLINE static void zeroInHandler() {
  handle(SIGSEGV, 0);
  jumpToZero();
  Zero = 3;
}

// The frame's return address is overwritten.
NOINLINE static void corrupt() {
  void **volatile Frame = static_cast<void **>(__builtin_frame_address(0));
  for (int I = 0; I != 64; ++I)
    Frame[I] = reinterpret_cast<void *>(0x1122334455667700 + I);
  die();
}

static jmp_buf Place;

NOINLINE static void leap(int N) {
  if (N == 0)
    longjmp(Place, 1);
  leap(N - 1);
  Zero = N;
}

NOINLINE static void afterLongjmp() {
  if (setjmp(Place) == 0)
    leap(5);
  die();
}

static ucontext_t Main, Other;

NOINLINE static void inContext() {
  die();
}

NOINLINE static void otherContext() {
  static char Stack[1 << 16];
  getcontext(&Other);
  Other.uc_stack.ss_sp = Stack;
  Other.uc_stack.ss_size = sizeof(Stack);
  Other.uc_link = &Main;
  makecontext(&Other, inContext, 0);
  swapcontext(&Main, &Other);
  Zero = 4;
}

int main(int, char **Arguments) {
  static const struct {
    const char *Name;
    void (*Run)();
  } Situations[] = {{"exceptions", exceptions},
                    {"handler", inHandler},
                    {"fault-handler", faultInHandler},
                    {"other-stack", onOtherStack},
                    {"overflow", overflow},
                    {"overflow-handled", overflowHandled},
                    {"zero", jumpToZero},
                    {"zero-handled", zeroInHandler},
                    {"corrupt", corrupt},
                    {"longjmp", afterLongjmp},
                    {"makecontext", otherContext}};
  for (const auto &S : Situations)
    if (Arguments[1] && !strcmp(S.Name, Arguments[1]))
      S.Run();
  puts("an unknown situation");
  return 1;
}
