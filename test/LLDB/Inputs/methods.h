/* A class whose methods are defined elsewhere. */
struct Counter {
  int Value;
  int add(int X);
  int take(int X);
};
