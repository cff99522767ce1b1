// Every kind of scope that a function can be in, and functions that DWARF
// gives no linkage name. Line numbers are part of the tests: append only.

#define NOINLINE __attribute__((noinline))

volatile int Sink;

extern "C" NOINLINE int plain_c(int X) { return Sink + X; }
static NOINLINE int fileStatic(int X) { return Sink * X; }

namespace {
NOINLINE int anonymous(int X) { return Sink - X; }
struct Hidden {
  NOINLINE int method(int X) { return Sink ^ X; }
};
} // namespace

namespace outer {
NOINLINE int function(int X) { return Sink / 3 + X; }
static NOINLINE int staticInNamespace(int X) { return Sink + X * 3; }
extern "C" NOINLINE int c_in_namespace(int X) { return Sink + X * 5; }

namespace inner {
namespace {
NOINLINE int deep(int X) { return Sink + X * 7; }
} // namespace

class Class {
public:
  NOINLINE explicit Class(int X) : Value(X + Sink) {}
  NOINLINE ~Class() { Sink = Value; }

  NOINLINE int method(int X) const;
  static NOINLINE int staticMethod(int X) { return Sink + X * 9; }
  virtual NOINLINE int virtualMethod(int X) { return Sink - X * 9; }
  inline int inlined(int X) const { return Sink + Value + X; }

  NOINLINE Class &operator+=(const Class &Other) {
    Value += Other.Value + Sink;
    return *this;
  }
  NOINLINE int operator()(int X) const { return Value * X; }
  NOINLINE operator int() const { return Value + Sink; }

  class Nested {
  public:
    struct Innermost {
      static NOINLINE int function(int X) { return Sink + X * 11; }
    };
    NOINLINE int method(int X) { return Innermost::function(X) + 1; }
  };

private:
  int Value;
};

// The definition is outside of its class: DW_AT_specification.
int Class::method(int X) const { return inlined(X) + Value; }

template <typename T, int N> struct Template {
  NOINLINE static T get(T X) { return X + N + Sink; }
  template <typename U> NOINLINE static U member(U X) { return X * N + Sink; }
};
} // namespace inner

inline namespace v1 {
NOINLINE int versioned(int X) { return Sink + X * 13; }
} // namespace v1
} // namespace outer

template <typename T> NOINLINE T functionTemplate(T X) { return X + Sink; }

NOINLINE bool operator<(const outer::inner::Class &A,
                        const outer::inner::Class &B) {
  return A.method(1) < B.method(2);
}

NOINLINE int lambdas(int X) {
  auto First = [](int Y) NOINLINE { return Y + Sink; };
  auto Second = [X](int Y) NOINLINE {
    auto Third = [Y](int Z) NOINLINE { return Z * Y + Sink; };
    return Third(X);
  };
  return First(X) + Second(X);
}

NOINLINE int localClass(int X) {
  struct Local {
    NOINLINE static int function(int Y) { return Sink + Y * 17; }
    NOINLINE int method(int Y) { return Sink + Y * 19; }
  };
  Local L;
  return Local::function(X) + L.method(X);
}

auto GlobalLambda = [](int X) NOINLINE { return X * 23 + Sink; };

static outer::inner::Class Global(4);

extern "C" void _start() {
  using namespace outer;
  using namespace outer::inner;
  Class A(1), B(2);
  A += B;
  Hidden H;
  Class::Nested N;
  Class *P = &A;
  asm volatile("" : "+r"(P));
  Sink = plain_c(1) + fileStatic(2) + anonymous(3) + H.method(4);
  Sink = outer::function(5) + staticInNamespace(6) + c_in_namespace(7);
  Sink = deep(8) + A.method(9) + Class::staticMethod(10) + P->virtualMethod(11);
  Sink = A(12) + int(B) + N.method(13) + (A < B);
  Sink = Template<int, 3>::get(14) + Template<long, 4>::get(15);
  Sink = Template<int, 3>::member<unsigned char>(16) + versioned(17);
  Sink = functionTemplate<int>(18) + functionTemplate<char>(19);
  Sink = lambdas(20) + localClass(21) + GlobalLambda(22) + int(Global);
}

// Replaces the library that the freestanding program would otherwise need.
extern "C" {
void *__dso_handle;
int __cxa_atexit(void (*)(void *), void *, void *) { return 0; }
int atexit(void (*)()) { return 0; }
}
void operator delete(void *, unsigned long) noexcept {}
