#include "greet.h"

int main(int argc, char **argv) {
  return twice(argc) - (argv[0] != 0) - 1;
}
