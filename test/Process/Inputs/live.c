/* A program that is symbolized while it runs. Prints addresses of code:
 *
 *   1. in the program;
 *   2. and 3. in a library (argument 1) loaded twice, to two addresses;
 *   4. in the library loaded from a memfd;
 *   5. in memory without a file, which /tmp/perf-PID.map names;
 *   6. in the same memory, without a name;
 *   7. the vdso.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) int in_program(int x) {
  volatile int y = x;
  return y + 1;
}

static void *function_of(void *library) {
  return library ? dlsym(library, "in_library") : NULL;
}

static void *from_memory(const char *path) {
  char name[64], buffer[65536];
  FILE *from = fopen(path, "rb");
  int fd = memfd_create("library", 0);
  for (size_t n; from && (n = fread(buffer, 1, sizeof buffer, from)) > 0;)
    if (write(fd, buffer, n) < 0)
      return NULL;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  return dlopen(name, RTLD_NOW);
}

static void *jit(void) {
  char name[64];
  void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  snprintf(name, sizeof name, "/tmp/perf-%d.map", getpid());
  FILE *map = fopen(name, "w");
  fprintf(map, "%lx 40 compiled code\n", (unsigned long)code);
  fclose(map);
  return code;
}

int main(int argc, char **argv) {
  char *code = jit();
  (void)argc;
  printf("%p %p %p %p %p %p %#lx\n", (void *)in_program,
         function_of(dlopen(argv[1], RTLD_NOW)),
         function_of(dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW)),
         function_of(from_memory(argv[1])), (void *)(code + 0x10),
         (void *)(code + 0x50), getauxval(AT_SYSINFO_EHDR));
  fflush(stdout);
  return pause() + in_program(1);
}
