// Methods that are inlined everywhere: of a class with a constructor, of a template.
volatile int Sink;

namespace tools {
inline int twice(int X) { return 2 * X + Sink; }

class Counter {
public:
  explicit Counter(int Start) : Value(Start) { Sink = Start; }
  int get() const { return Value + Sink; }

private:
  int Value;
};

template <typename T> struct Stack {
  void push(T X) {
    Sink = X;
    Top = X + Sink;
  }
  T Top;
};
} // namespace tools

int main(int argc, char **) {
  tools::Counter C(argc);
  tools::Stack<int> S;
  S.push(C.get());
  Sink = tools::twice(S.Top);
  return C.get();
}
