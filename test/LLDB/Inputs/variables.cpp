// Variables of all kinds: arguments, locals in blocks inside each other, some of
// which hide others, those of inlined calls and of the functions around them,
// `this`, globals.
extern "C" int printf(const char *, ...);

namespace shapes {
enum Colour { Red, Green };

struct Shape {
  virtual int corners() const { return 0; }
  Colour Paint = Green;
};

struct Box : Shape {
  int Width = 3, Height = 4;
  int corners() const override;
};

static int Counter = 9;
} // namespace shapes

volatile int Sink;

__attribute__((noinline)) int shapes::Box::corners() const {
  int Local = Width + 1;
  for (int I = 0; I < 2; ++I) {
    int Twice = Local * Sink;
    {
      int Local = 77;
      int Deep = Twice + I;
      printf("%d %d\n", Local, Deep);
    }
  }
  Counter += Local;
  return Local;
}

static inline __attribute__((always_inline)) int inner(int X, const char *S) {
  int Y = X * 3;
  if (Y > 2) {
    int Z = Y + 1;
    printf("%d %s\n", Z, S);
  }
  return Y;
}

template <class T> __attribute__((noinline)) T twice(T V) {
  T R = V + V;
  printf("twice\n");
  return R;
}

__attribute__((noinline)) double halve(double V) {
  printf("halve\n");
  return V / 2;
}

__attribute__((noinline)) int outer(int N, shapes::Colour C) {
  int Values[] = {1, 2, N};
  int Sum = 0;
  printf("outer %d\n", N);
  for (int E : Values) {
    int K = inner(E, "text");
    Sum += K;
  }
  return Sum + C + shapes::Counter;
}

int main(int argc, char **argv) {
  shapes::Box B;
  shapes::Shape *P = &B;
  Sink = argc;
  int R = outer(argc + 4, shapes::Red) + P->corners() + twice(3);
  R += (int)halve(10);
  printf("%d\n", R);
  return 0;
}
