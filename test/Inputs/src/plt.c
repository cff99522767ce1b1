/* Calls that go through the PLT, if linked as a shared object. */
extern int first(int);
extern int second(int);
extern void *Address;
extern int third(int);

int calls(int N) {
  Address = (void *)third;
  return first(N) + second(N) + third(N);
}
