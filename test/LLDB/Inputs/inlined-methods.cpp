// Methods that are inlined everywhere: of a class with a constructor, of a template and of
// a class in it, of a class that only the type of a parameter shows to be one, of a class
// in it, and of classes without a name or in a namespace without one.
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
  struct Cursor {
    void seek(int X) { Sink = X; }
  };
  T Top;
};

struct Gate {
  struct Latch {
    void lock() { Sink = 2; }
  };
  void open() {
    Sink = 1;
    Hold.lock();
  }
  Latch Hold;
};
__attribute__((noinline)) void enter(Gate &G) {
  Sink = 3;
  G.open();
}
} // namespace tools

namespace {
struct Bolt {
  void slide(int X) { Sink = X * 3; }
};
__attribute__((noinline)) void move(Bolt *B) { B->slide(Sink); }

struct {
  void ring() { Sink = 4; }
} Bell;
} // namespace

int main(int argc, char **) {
  tools::Counter C(argc);
  tools::Stack<int> S;
  S.push(C.get());
  tools::Stack<int>::Cursor().seek(argc);
  tools::Gate G;
  tools::enter(G);
  Bolt B;
  move(&B);
  Bell.ring();
  Sink = tools::twice(S.Top);
  return C.get();
}
