// Crashes in the way that its argument says. The line that is to blame is
// marked with the name of the way.

#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#define OWN __attribute__((noinline, noclone))

extern "C" void failInLibrary(int Value);

volatile int Zero = 0;
volatile int Sink;

struct Point {
  int X, Y;
};

OWN int readPoint(const Point *P) {
  return P->Y + Zero; // cause: null, stripped, wrong-build
}

OWN size_t measure(const char *Text) {
  size_t Size = strlen(Text); // cause: null-text
  return Size + Zero;
}

OWN int descend(int Depth) {
  volatile char Room[4096];
  Room[0] = char(Depth);
  int Below = descend(Depth + 1); // cause: stack-overflow
  return Below + Room[0];
}

pthread_mutex_t First = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t Second = PTHREAD_MUTEX_INITIALIZER;

OWN void lockBoth(pthread_mutex_t *A, pthread_mutex_t *B) {
  pthread_mutex_lock(A);
  usleep(200000);
  pthread_mutex_lock(B); // cause: deadlock
  Sink = 1;
}

OWN void checkPositive(int Value) {
  assert(Value > 0 && "must be positive"); // cause: assertion
  Sink = Value;
}

OWN void rejectInput(int Value) {
  if (Value == 0)
    throw std::runtime_error("bad input"); // cause: exception
  Sink = Value;
}

OWN void fillMemory() {
  for (;;) {
    char *Block = new char[size_t(64) << 20]; // cause: out-of-memory
    Block[0] = char(Zero);
  }
}

OWN void releaseTwice() {
  char *volatile Block = static_cast<char *>(malloc(40));
  Block[0] = char(Zero);
  free(Block);
  free(Block); // cause: double-free
  Sink = 2;
}

OWN int divide(int Value) {
  int Result = Value / Zero; // cause: division
  return Result + 1;
}

OWN void stopHere() {
  __builtin_trap(); // cause: illegal
}

OWN char readMapped(const char *Map) {
  return Map[Zero]; // cause: bus
}

struct Base {
  Base();
  virtual ~Base() = default;
  virtual void act() = 0;
};
struct Derived : Base {
  void act() override { Sink = 3; }
};
OWN void actOn(Base *B) {
  B->act(); // cause: pure-virtual
  Sink = 4;
}
Base::Base() { actOn(this); }

OWN void useLibrary() {
  failInLibrary(Zero);
  Sink = 5;
}

OWN void writeInThread(int *Where) {
  *Where = 7; // cause: thread
  Sink = 6;
}

OWN int runCode(int (*Code)()) {
  int Result = Code(); // cause: jit
  return Result + Zero;
}

OWN void overwriteFrame(const char *Text) {
  char Short[8];
  strcpy(Short, Text);
  Sink = Short[0];
} // cause: stack-smash

void onCrash(int) {
  static const char Message[] = "crashed\n";
  if (write(2, Message, sizeof(Message) - 1) > 0)
    abort();
}

OWN int readHandled(const int *P) {
  return *P + Zero; // cause: handler
}

static void bus() {
  char Name[] = "mapped.XXXXXX";
  int FD = mkstemp(Name);
  if (ftruncate(FD, 4096))
    return;
  void *Map = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, FD, 0);
  if (!ftruncate(FD, 0))
    unlink(Name);
  Sink = readMapped(static_cast<const char *>(Map));
}

static void deadlock() {
  std::thread A(lockBoth, &First, &Second), B(lockBoth, &Second, &First);
  alarm(1);
  A.join();
  B.join();
}

static void jit() {
  // push %rbp; mov %rsp,%rbp; xor %eax,%eax; mov (%rax),%eax; pop %rbp; ret
  static const unsigned char Code[] = {0x55, 0x48, 0x89, 0xe5, 0x31,
                                       0xc0, 0x8b, 0x00, 0x5d, 0xc3};
  void *Memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(Memory, Code, sizeof(Code));
  Sink = runCode(reinterpret_cast<int (*)()>(Memory));
}

int main(int Count, char **Args) {
  const char *Way = Count > 1 ? Args[1] : "";
  auto Is = [&](const char *Name) { return !strcmp(Way, Name); };
  if (Is("null"))
    Sink = readPoint(nullptr);
  if (Is("null-text"))
    Sink = int(measure(nullptr));
  if (Is("stack-overflow"))
    Sink = descend(0);
  if (Is("deadlock"))
    deadlock();
  if (Is("assertion"))
    checkPositive(-1);
  if (Is("exception"))
    rejectInput(0);
  if (Is("out-of-memory")) {
    rlimit Limit = {size_t(1) << 30, size_t(1) << 30};
    setrlimit(RLIMIT_AS, &Limit);
    fillMemory();
  }
  if (Is("double-free"))
    releaseTwice();
  if (Is("division"))
    Sink = divide(3);
  if (Is("illegal"))
    stopHere();
  if (Is("bus"))
    bus();
  if (Is("pure-virtual"))
    Derived().act();
  if (Is("library"))
    useLibrary();
  if (Is("thread"))
    std::thread(writeInThread, nullptr).join();
  if (Is("jit"))
    jit();
  if (Is("stack-smash"))
    overwriteFrame("much longer than eight bytes");
  if (Is("handler")) {
    signal(SIGSEGV, onCrash);
    Sink = readHandled(nullptr);
  }
  return 0;
}
