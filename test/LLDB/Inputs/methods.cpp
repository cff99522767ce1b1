/* Methods that are declared in a header, behind lines without code. */
#include "methods.h"



__attribute__((noinline)) int Counter::add(int X) {
  Value += X;
  return Value;
}



__attribute__((noinline)) int Counter::take(int X) {
  Value -= X;
  return Value * 2;
}



static __attribute__((noinline)) int plain(int X) {
  return X * 3;
}

int main(int argc, char **argv) {
  Counter C = {argc};
  return C.add(1) + C.take(2) + plain(argc);
}
