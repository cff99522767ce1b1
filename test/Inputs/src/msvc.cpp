// For Windows, without a library.
extern "C" int _fltused = 0;
volatile int Sink;

// In msvc-nodebug.cpp, which is compiled without debug information.
namespace plain {
int withoutLines(int Value);
}

namespace shapes {
struct Square {
  int Side;
  __forceinline int area() const { return Side * Side + Sink; }
};

template <typename T> __forceinline int total(const T &Shape, int Count) {
  int Sum = 0;
  for (int I = 0; I < Count; ++I)
    Sum += Shape.area();
  return Sum;
}
} // namespace shapes

static __declspec(noinline) int hidden(int Count) {
  shapes::Square Square{Count};
  return shapes::total(Square, Count) + 1;
}

__declspec(noinline) int crash(int *Where) {
  *Where = Sink;
  return hidden(Sink) + plain::withoutLines(Sink);
}

extern "C" int mainCRTStartup() { return crash(nullptr) + hidden(3); }
