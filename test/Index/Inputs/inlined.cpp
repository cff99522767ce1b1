// A function that is inlined into functions of two units, and has no code of its own.
namespace scope {
struct Pair {
  int First, Second;
  int sum() const { return First + Second; }
};
extern volatile int Sink;
static inline __attribute__((always_inline)) int inlined(Pair P) {
  Sink = Sink + P.sum();
  return Sink * 2;
}
int other(int N);
} // namespace scope

#ifdef OTHER
int scope::other(int N) {
  int Sum = inlined({N, 1});
  Sink = N;
  return Sum + inlined({N, 3});
}
#else
volatile int scope::Sink;
int main(int argc, char **) {
  int Sum = scope::inlined({argc, 2});
  scope::Sink = argc;
  return Sum + scope::inlined({argc, 4}) + scope::other(argc);
}
#endif
