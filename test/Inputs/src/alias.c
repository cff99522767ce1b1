/* One function, several symbols: global, weak, hidden; DWARF knows one. */

volatile int Sink;

int original(int X) {
  Sink = X;
  return Sink + 1;
}

int anAlias(int X) __attribute__((alias("original")));
int weakAlias(int X) __attribute__((weak, alias("original")));
int hiddenAlias(int X) __attribute__((alias("original"), visibility("hidden")));

static int resolved(int X) { return X + Sink; }
static void *resolver(void) { return (void *)resolved; }
int indirect(int X) __attribute__((ifunc("resolver")));

void _start(void) {
  Sink = original(1) + anAlias(2);
  Sink = weakAlias(3) + hiddenAlias(4);
  Sink = indirect(5);
}
