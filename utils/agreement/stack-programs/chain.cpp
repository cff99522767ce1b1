// main calls outer, a virtual function, which calls inner by a lambda in
// std::sort and by a handler of an exception. With SPIN set, inner is busy for
// a while; else it waits for the file "go", and crashes.
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

volatile long sink;

__attribute__((noinline)) void inner() {
  if (getenv("SPIN")) {
    while (sink < 1000000000)
      sink = sink + 1;
    return;
  }
  close(creat("ready", 0600));
  while (access("go", F_OK))
    usleep(1000);
  *(volatile int *)8 = 1;
}

__attribute__((noinline)) void middle(std::vector<int> &values) {
  std::sort(values.begin(), values.end(), [](int a, int b) {
    try {
      throw a;
    } catch (int) {
      inner();
      sink = sink + 1;
    }
    return a < b;
  });
  sink = sink + 1;
}

struct Base {
  virtual void outer() = 0;
};

struct Derived : Base {
  void outer() override {
    std::vector<int> values = {2, 1};
    middle(values);
    sink = sink + values[0];
  }
};

int main() {
  Derived object;
  Base *volatile base = &object;
  base->outer();
  return 0;
}
