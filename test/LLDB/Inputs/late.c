// Loads the library that its argument names, made from library.c, and calls it.
#include <dlfcn.h>

static int twice(int X) { return 2 * X; }

int main(int argc, char **argv) {
  void *Library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
  if (!Library)
    return 1;
  *(int (**)(int))dlsym(Library, "Hook") = twice;
  int Result = ((int (*)(int))dlsym(Library, "apply"))(argc);
  dlclose(Library);
  return Result;
}
