extern volatile int Sink;

int withLinesAgain(int X) {
  Sink = X + 2;
  return Sink + 3;
}
