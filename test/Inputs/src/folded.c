/* Linked with --icf=all: the three `same*` become one piece of code with three
   names, three DIEs and three runs of line rows. */

volatile int Sink;

int sameA(int X) {
  Sink = X;
  return Sink + 1;
}

int sameB(int X) {
  Sink = X;
  return Sink + 1;
}

int sameC(int X) {
  Sink = X;
  return Sink + 1;
}

int different(int X) {
  Sink = X;
  return Sink + 2;
}

void _start(void) {
  Sink = sameA(1);
  Sink = sameB(2);
  Sink = sameC(3);
  Sink = different(4);
}
