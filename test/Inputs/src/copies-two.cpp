#include "copies.h"

int second(int X) { return inAll(inTwo(X)) + 1; }
