void stop(int X);
extern volatile int Sink;

int other(int A, int B) {
  stop(A - B);
  return Sink * 9;
}
