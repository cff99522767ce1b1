// This unit has no function of its own.
#include "copies.h"

int (*const Pointers[])(int) = {inAll, inTwo};
extern int (*const *Used)(int);
int (*const *Used)(int) = Pointers;
