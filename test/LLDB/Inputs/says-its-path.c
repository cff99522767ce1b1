// Prints the file that the kernel runs.
#include <stdio.h>
#include <unistd.h>

int waitHere(int Count) {
  int Twice = Count * 2;
  return Twice;
}

int main(int argc, char **argv) {
  char Path[4096];
  ssize_t Length = readlink("/proc/self/exe", Path, sizeof(Path) - 1);
  Path[Length < 0 ? 0 : Length] = 0;
  printf("running %s\n", Path);
  fflush(stdout);
  return waitHere(argc) == 7;
}
