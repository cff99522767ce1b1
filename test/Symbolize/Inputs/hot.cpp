// A tenth of a second of work in inlined calls.
#include <cstdint>

static inline uint32_t mix(uint32_t Value) {
  Value ^= Value << 13;
  Value ^= Value >> 17;
  return Value ^ Value << 5;
}

__attribute__((noinline)) static uint32_t hash(uint32_t Value, unsigned Rounds) {
  for (unsigned I = 0; I < Rounds; ++I)
    Value = mix(Value) + I;
  return Value;
}

__attribute__((noinline)) static uint32_t work(unsigned Count) {
  uint32_t Sum = 1;
  for (unsigned I = 0; I < Count; ++I)
    Sum += hash(Sum, 1000);
  return Sum;
}

int main() { return work(50000) == 0; }
