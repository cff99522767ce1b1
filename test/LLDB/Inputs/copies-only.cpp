// This unit has no function of its own.
#include "copies.h"

int (*Pointers[])(int) = {inAll, inTwo};
