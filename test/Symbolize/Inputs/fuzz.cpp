// A fuzz target with an error that only ends the process.
#include <cstddef>
#include <cstdint>

__attribute__((noinline)) static void check(const uint8_t *Data) {
  if (Data[0] == 'x')
    __builtin_trap();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (Size)
    check(Data);
  return 0;
}
