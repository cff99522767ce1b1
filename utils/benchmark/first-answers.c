/* Looks up addresses with the C interface, as a program does that starts for
   it.

     first-answers FILE|PID MODULE-FLAGS CACHE [ARCHIVE]

   Reads the addresses from standard input in hexadecimal. Prints how many have
   a name and how many have a line. With ARCHIVE, opens it, and asks no modules.
 */
#include <lidia-c/lidia.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 20 };
static uint64_t addresses[MOST];
static size_t count, named, lines;

static void check(lidia_status status, lidia_error *error) {
  if (status == LIDIA_OK)
    return;
  fprintf(stderr, "first-answers: %s\n", lidia_error_message(error));
  exit(1);
}

static void count_frame(const lidia_frame *frame) {
  named += frame->function_length != 0;
  lines += frame->line != 0;
}

static void look_up(const lidia_archive *archive) {
  lidia_lookup *lookup;
  lidia_error *error;
  size_t i;
  check(lidia_lookup_create(archive, NULL, &lookup, &error), error);
  check(lidia_lookup_addresses(lookup, addresses, count, &error), error);
  for (i = 0; i != count; ++i) {
    lidia_frame frame;
    LIDIA_INIT(frame);
    if (lidia_lookup_frame_count(lookup, i) == 0)
      continue;
    check(lidia_lookup_get_frame(lookup, i, 0, &frame, &error), error);
    count_frame(&frame);
  }
}

static void ask(lidia_process *process) {
  lidia_error *error;
  size_t i;
  check(lidia_process_prepare(process, addresses, count, 0, &error), error);
  for (i = 0; i != count; ++i) {
    lidia_answer *answer;
    lidia_frame frame;
    LIDIA_INIT(frame);
    check(lidia_process_answer(process, addresses[i], 0, &answer, &error),
          error);
    if (lidia_answer_get_frame(answer, 0, &frame, NULL) == LIDIA_OK)
      count_frame(&frame);
    lidia_answer_free(answer);
  }
}

int main(int argc, char **argv) {
  char line[64], *end;
  lidia_modules_options options;
  lidia_modules *modules;
  lidia_archive *archive;
  lidia_process *process;
  lidia_error *error;
  unsigned long pid;
  if (argc < 4)
    return 2;
  while (count != MOST && fgets(line, sizeof(line), stdin))
    addresses[count++] = strtoull(line, NULL, 16);
  LIDIA_INIT(options);
  options.flags = (uint32_t)strtoul(argv[2], NULL, 0);
  options.cache_folder = argv[3];
  check(lidia_modules_create(&options, &modules, &error), error);
  pid = strtoul(argv[1], &end, 10);
  if (argc > 4) {
    check(lidia_archive_open(argv[4], NULL, &archive, &error), error);
    look_up(archive);
  } else if (*end) {
    check(lidia_modules_get(modules, argv[1], NULL, 0, &archive, &error),
          error);
    look_up(archive);
  } else {
    check(lidia_process_open(modules, pid, NULL, &process, &error), error);
    ask(process);
  }
  printf("%zu %zu\n", named, lines);
  /* The end of the program frees all. */
  return 0;
}
