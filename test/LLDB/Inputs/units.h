// Functions that two compile units have. The bodies are in another file: LLDB
// would otherwise ask where the function of the closest line begins.

static volatile int Sink;

__attribute__((noinline)) static int apart(int N)
#define APART
#include "units.inc"
#undef APART

__attribute__((always_inline)) static inline int inlined(int N)
#include "units.inc"
