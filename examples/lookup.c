/* Prints the frames of an address: lookup ARCHIVE ADDRESS. */
#include <lidia-c/lidia.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(lidia_error *error) {
  fprintf(stderr, "%s\n", lidia_error_message(error));
  lidia_error_free(error);
  return 1;
}

int main(int argc, char **argv) {
  lidia_error *error;
  lidia_archive *archive;
  if (argc < 3)
    return 2;
  if (lidia_archive_open(argv[1], NULL, &archive, &error))
    return fail(error);

  lidia_lookup_options options;
  LIDIA_INIT(options);
  options.flags = LIDIA_LOOKUP_DEMANGLE;
  lidia_lookup *lookup;
  if (lidia_lookup_create(archive, &options, &lookup, &error))
    return fail(error);

  uint64_t address = strtoull(argv[2], NULL, 0);
  if (lidia_lookup_addresses(lookup, &address, 1, &error))
    return fail(error);
  for (size_t i = 0; i != lidia_lookup_frame_count(lookup, 0); ++i) {
    lidia_frame frame;
    LIDIA_INIT(frame);
    if (lidia_lookup_get_frame(lookup, 0, i, &frame, &error))
      return fail(error);
    printf("%s at %s:%u\n", frame.function, frame.file, frame.line);
  }
  lidia_lookup_free(lookup);
  lidia_archive_close(archive);
}
