/* The first function has only a call without code, the second one with code, of the same
   inlined function, which is declared further down. */
static const char *id(int K);
void use(const char *P);
__attribute__((noinline)) void a(void) { use(id(0)); }
__attribute__((noinline)) void b(void) { use(id(1)); }

const char *volatile Global;

static const char *id(int K) {
  if (K)
    return Global;
  return "x";
}

void use(const char *P) { __asm__ volatile("" : : "r"(P)); }

int main(void) {
  b();
  a();
  return 0;
}
