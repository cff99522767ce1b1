#include <cstdio>
#include <string>

// Names that begin like mangled ones.
extern "C" __attribute__((noinline)) int _Rb_count(int n) {
  std::printf("%d\n", n);
  return n + 1;
}
extern "C" __attribute__((noinline)) int _Z_plain(int n) {
  return _Rb_count(n) * 2;
}
extern "C" __attribute__((noinline)) int _D1x(int n) { return _Z_plain(n) - 1; }
extern "C" __attribute__((noinline)) int _TtCx(int n) { return _D1x(n) + 3; }

int main(int argc, char **argv) {
  std::string s("abc");
  s.append(argv[0]);
  std::puts(s.c_str());
  return _TtCx(argc) == 0;
}
