// A library of which only the export table has names.
int data = 5;

static __attribute__((noinline)) int hidden(int x) { return x * data; }

int exported(int x) { return hidden(x + 1) + 2; }

int second(int x) { return hidden(x) - exported(x); }
