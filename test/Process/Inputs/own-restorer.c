// Prints its own stack in the handler of a signal, which returns by restore().
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

__asm__(".text\n"
        ".type ends_with_call,@function\n"
        "ends_with_call: call abort@PLT\n"
        ".size ends_with_call, .-ends_with_call\n"
        ".type restore,@function\n"
        "restore: mov $15,%eax\n"
        "syscall\n"
        ".size restore, .-restore\n");
extern void restore(void);

struct kernel_sigaction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)(void);
  unsigned long mask;
};

volatile int sink;

static void handler(int number) {
  char command[100];
  snprintf(command, sizeof(command),
           "llvm-lidia stack -s --trust --no-cache --pid=%d", getpid());
  if (system(command) != 0)
    _exit(1);
  sink = number;
  _exit(0);
}

__attribute__((noinline)) static int crash(volatile int *at) {
  *at = 1;
  return sink + 1;
}

__attribute__((noinline)) static int deep(int n) {
  return crash((volatile int *)(long)(n * 8)) + 1;
}

int main(int argc, char **argv) {
  struct kernel_sigaction action = {handler, 0x04000000 /* SA_RESTORER */,
                                    restore, 0};
  (void)argv;
  syscall(SYS_rt_sigaction, SIGSEGV, &action, 0, 8);
  return deep(argc) + 1;
}
