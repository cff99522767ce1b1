/* A call of an IFUNC that no other file sees: its stub has no name. */
static int one(int N) { return N + 1; }
static int two(int N) { return N + 2; }

static volatile int Choice;
static int (*resolve(void))(int) { return Choice ? one : two; }

__attribute__((visibility("hidden"), ifunc("resolve"))) int local(int);
extern int global(int);

int calls(int N) { return local(N) + global(N); }
