#include "copies.h"

int other(int X);

int main() { return inAll(other(1)) == 0; }
