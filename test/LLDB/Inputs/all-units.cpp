// Methods that are only inlined, of which LLDB finds none by name with an
// index.
volatile int Sink;
int plain(int X);

struct Box {
  int m0(int X) const;
  int m1(int X) const;
  int m2(int X) const;
  int m3(int X) const;
  int m4(int X) const;
  int m5(int X) const;
  int m6(int X) const;
  int m7(int X) const;
  int m8(int X) const;
  int m9(int X) const;
  int m10(int X) const;
  int m11(int X) const;
  int m12(int X) const;
  int m13(int X) const;
  int m14(int X) const;
  int m15(int X) const;
  int m16(int X) const;
  int m17(int X) const;
  int m18(int X) const;
  int m19(int X) const;
};

#define METHOD(N)                                                              \
  __attribute__((always_inline)) inline int Box::m##N(int X) const {           \
    return X * N + Sink;                                                       \
  }
METHOD(0)
METHOD(1)
METHOD(2)
METHOD(3)
METHOD(4)
METHOD(5)
METHOD(6)
METHOD(7)
METHOD(8)
METHOD(9)
METHOD(10)
METHOD(11)
METHOD(12)
METHOD(13)
METHOD(14)
METHOD(15)
METHOD(16)
METHOD(17)
METHOD(18)
METHOD(19)

int main(int Count, char **) {
  Box B;
  Sink = B.m0(Count);
  Sink = B.m1(Count);
  Sink = B.m2(Count);
  Sink = B.m3(Count);
  Sink = B.m4(Count);
  Sink = B.m5(Count);
  Sink = B.m6(Count);
  Sink = B.m7(Count);
  Sink = B.m8(Count);
  Sink = B.m9(Count);
  Sink = B.m10(Count);
  Sink = B.m11(Count);
  Sink = B.m12(Count);
  Sink = B.m13(Count);
  Sink = B.m14(Count);
  Sink = B.m15(Count);
  Sink = B.m16(Count);
  Sink = B.m17(Count);
  Sink = B.m18(Count);
  Sink = B.m19(Count);
  return plain(Sink);
}
