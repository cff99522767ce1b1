#include "greet.h"

int greet(int value) {
  return twice(value);
}
