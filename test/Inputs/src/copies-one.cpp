#include "copies.h"

volatile int Sink;
int second(int X);

extern "C" void _start() { Sink = second(inAll(1)); }
