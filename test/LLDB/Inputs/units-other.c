#include "units.h"

int other(int N) { return apart(inlined(N)) + 1; }
