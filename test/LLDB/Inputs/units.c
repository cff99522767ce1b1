#include "units.h"

int other(int N);

int main(void) {
  Sink = 5;
  return other(inlined(apart(1)));
}
