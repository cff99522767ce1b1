#include "copies.h"

int other(int X) { return inTwo(X) + 1; }
