/* Prints the version of the C interface. */

#include <lidia-c/lidia.h>
#include <stdio.h>

int main(void) {
  printf("interface %u\n", (unsigned)lidia_api_version());
  return lidia_api_version() != LIDIA_API_VERSION;
}
