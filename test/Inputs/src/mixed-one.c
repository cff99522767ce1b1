/* Compiled with -g; mixed-two.c is not, mixed-three.c is again. */

extern volatile int Sink;
int withoutLines(int X);
int withLinesAgain(int X);

int withLines(int X) {
  Sink = X;
  return Sink + 1;
}

void _start(void) {
  Sink = withLines(1);
  Sink = withoutLines(2);
  Sink = withLinesAgain(3);
}
