/* Calls the C interface as its arguments say, and prints what it gives. */

#ifdef __x86_64__
/* For the names of registers. */
#define _GNU_SOURCE
#endif
#include "lidia-c/lidia.h"
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#ifdef __x86_64__
#include <ucontext.h>
#endif
#include <unistd.h>

static lidia_status status;
static lidia_error *error;

/* Whether CALL, which stores its error in error, fails. */
#define FAILED(CALL) (status = (CALL), report())

static int report(void) {
  if (status == LIDIA_OK && !error)
    return 0;
  printf("status %d (%d), errno %d, file '%s': %s\n", status,
         lidia_error_status(error), lidia_error_errno(error),
         lidia_error_file(error), lidia_error_message(error));
  lidia_error_free(error);
  error = NULL;
  return 1;
}

static void warn(void *context, const char *message) {
  printf("%s: %s\n", (const char *)context, message);
}

static void print_frame(const lidia_frame *frame) {
  if (strlen(frame->function) != frame->function_length ||
      strlen(frame->file) != frame->file_length)
    printf("wrong length: ");
  printf("%s%s at %s:%u:%u\n", frame->is_inlined ? "(inlined) " : "",
         frame->function, frame->file, frame->line, frame->column);
}

/* A file in memory, read by callbacks. */
struct memory {
  char *bytes;
  size_t size;
  int fails;
};

static int read_at(void *context, uint64_t offset, void *to, size_t size) {
  struct memory *from = context;
  if (from->fails)
    return EIO;
  memcpy(to, from->bytes + offset, size);
  return 0;
}

static void close_reader(void *context) {
  (void)context;
  printf("closed\n");
}

/* What commands that fail do not free, where leak checkers find it. */
static char *contents;
static lidia_modules *modules_made;

static struct memory read_file(const char *path) {
  struct memory result = {NULL, 0, 0};
  FILE *file = fopen(path, "rb");
  long end;
  if (!file)
    exit(2);
  fseek(file, 0, SEEK_END);
  end = ftell(file);
  rewind(file);
  result.size = (size_t)end;
  contents = result.bytes = malloc(result.size + 1);
  if (fread(result.bytes, 1, result.size, file) != result.size)
    exit(2);
  fclose(file);
  return result;
}

/* Opens an archive in the way that HOW says. */
static lidia_archive *open_archive(const char *how, const char *path,
                                   struct memory *memory) {
  lidia_archive *archive = NULL;
  memory->bytes = NULL;
  if (!strcmp(how, "copy")) {
    lidia_open_options options;
    LIDIA_INIT(options);
    options.flags = LIDIA_OPEN_COPY;
    options.frame_cache_size = 1 << 16;
    status = lidia_archive_open(path, &options, &archive, &error);
  } else if (!strcmp(how, "memory")) {
    *memory = read_file(path);
    status = lidia_archive_open_memory(memory->bytes, memory->size, path, NULL,
                                       &archive, &error);
  } else if (!strcmp(how, "reader") || !strcmp(how, "broken-reader")) {
    lidia_reader reader;
    *memory = read_file(path);
    memory->fails = !strcmp(how, "broken-reader");
    LIDIA_INIT(reader);
    reader.context = memory;
    reader.file_size = memory->size;
    reader.read_at = read_at;
    reader.close = close_reader;
    status = lidia_archive_open_reader(&reader, "far", NULL, &archive, &error);
  } else {
    status = lidia_archive_open(path, NULL, &archive, &error);
  }
  return report() ? NULL : archive;
}

static void count_pad(void *context, uint64_t address) {
  (void)address;
  ++*(size_t *)context;
}

static void print_info(const lidia_archive *archive) {
  lidia_archive_info info;
  size_t i, pads = 0;
  LIDIA_INIT(info);
  if (FAILED(lidia_archive_get_info(archive, &info, &error)))
    return;
  lidia_archive_for_each_return_pad(archive, count_pad, &pads);
  printf("flags %u, machine %u, %" PRIu64 " ranges, %" PRIu64 " rows, %" PRIu64
         " pads (%zu), build ID ",
         info.flags, info.machine, info.range_count, info.row_count,
         info.return_pad_count, pads);
  for (i = 0; i != info.build_id_size; ++i)
    printf("%02x", info.build_id[i]);
  printf("\n");
  if (!FAILED(lidia_archive_verify(archive, &error)))
    printf("sound\n");
}

/* Prints the frames of the addresses ARGS. */
static int look_up(const lidia_archive *archive,
                   const lidia_lookup_options *options, char **args,
                   int count) {
  lidia_lookup *lookup;
  uint64_t addresses[64];
  size_t i, j, number = 0;
  if (FAILED(lidia_lookup_create(archive, options, &lookup, &error)))
    return 1;
  for (; (int)number < count && number < 64; ++number)
    addresses[number] = strtoull(args[number], NULL, 0);
  FAILED(lidia_lookup_addresses(lookup, addresses, number, &error));
  for (i = 0; i != number; ++i) {
    printf("%#" PRIx64 ": %zu frames\n", addresses[i],
           lidia_lookup_frame_count(lookup, i));
    for (j = 0; j != lidia_lookup_frame_count(lookup, i); ++j) {
      lidia_frame frame;
      LIDIA_INIT(frame);
      if (!FAILED(lidia_lookup_get_frame(lookup, i, j, &frame, &error)))
        print_frame(&frame);
    }
  }
  lidia_lookup_free(lookup);
  return 0;
}

/* lookup HOW FLAGS THREADS ARCHIVE ADDRESS... */
static int run_lookup(char **args, int count) {
  struct memory memory;
  lidia_archive *archive = open_archive(args[0], args[3], &memory);
  lidia_lookup_options options;
  int failed;
  if (!archive)
    return 1;
  lidia_init(&options, sizeof(options));
  options.flags = (uint32_t)strtoul(args[1], NULL, 0);
  options.threads = (uint32_t)strtoul(args[2], NULL, 0);
  failed = look_up(archive, &options, args + 4, count - 4);
  lidia_archive_close(archive);
  free(memory.bytes);
  return failed;
}

static int print_function(void *context, const lidia_function *function) {
  size_t i;
  printf("%s in '%s', %" PRIu64 " inlined, at", function->name, function->file,
         function->inlined_count);
  for (i = 0; i != function->entry_count; ++i)
    printf(" %#" PRIx64, function->entries[i]);
  printf("\n");
  return --*(int *)context == 0;
}

/* functions ARCHIVE MOST [NAME] */
static int run_functions(char **args, int count) {
  struct memory memory;
  lidia_archive *archive = open_archive("file", args[0], &memory);
  int most = atoi(args[1]), failed;
  if (!archive)
    return 1;
  failed = FAILED(lidia_archive_find_functions(
      archive, count > 2 ? args[2] : NULL, print_function, &most, &error));
  lidia_archive_close(archive);
  return failed;
}

static int count_progress(void *context, const char *phase, uint64_t done,
                          uint64_t total) {
  int *left = context;
  (void)phase;
  (void)done;
  (void)total;
  return --*left < 0;
}

/* memory BINARY OUTPUT STEPS: converts a binary in memory to memory, up to
   STEPS calls of progress, and writes what it got. */
static int run_memory(char **args) {
  struct memory binary = read_file(args[0]);
  lidia_convert_options options;
  lidia_archive *archive;
  const void *bytes;
  size_t size;
  int left = atoi(args[2]);
  FILE *file;
  LIDIA_INIT(options);
  options.progress = count_progress;
  options.context = &left;
  if (FAILED(lidia_convert_memory(args[0], binary.bytes, binary.size, &options,
                                  &archive, &error)))
    return 1;
  if (FAILED(lidia_archive_get_bytes(archive, &bytes, &size, &error)))
    return 1;
  file = fopen(args[1], "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
    return 2;
  lidia_archive_close(archive);
  free(binary.bytes);
  return 0;
}

/* single ARCHIVE: one address a call and all at once, from the same lookup, in
 * turn. */
static int run_single(char **args) {
  struct memory memory;
  lidia_archive *archive = open_archive("file", args[0], &memory);
  lidia_lookup *lookup;
  uint64_t both[2] = {0x40017c, 0x400197};
  size_t i;
  if (!archive || FAILED(lidia_lookup_create(archive, NULL, &lookup, &error)))
    return 1;
  for (i = 0; i != 6; ++i) {
    size_t count = i % 3 == 2 ? 2 : 1;
    lidia_frame frame;
    LIDIA_INIT(frame);
    if (FAILED(lidia_lookup_addresses(lookup, &both[count == 2 ? 0 : i % 2],
                                      count, &error)) ||
        FAILED(lidia_lookup_get_frame(lookup, count - 1, 0, &frame, &error)))
      return 1;
    printf("%zu of %zu: %s, %zu frames, %zu behind\n", count - 1, count,
           frame.function, lidia_lookup_frame_count(lookup, count - 1),
           lidia_lookup_frame_count(lookup, count));
  }
  lidia_lookup_free(lookup);
  lidia_archive_close(archive);
  return 0;
}

/* convert FLAGS BINARY OUTPUT [HELPER [DEBUG_FILE]] */
static int run_convert(char **args, int count) {
  lidia_convert_options options;
  LIDIA_INIT(options);
  options.flags = (uint32_t)strtoul(args[0], NULL, 0);
  options.threads = 2;
  options.helper = count > 3 && *args[3] ? args[3] : NULL;
  options.debug_file = count > 4 ? args[4] : NULL;
  options.warning = warn;
  options.context = "warning";
  return FAILED(lidia_convert(args[1], args[2], &options, &error));
}

static lidia_modules *make_modules(const char *cache, const char *folder,
                                   uint32_t flags) {
  lidia_modules_options options;
  lidia_modules *modules;
  LIDIA_INIT(options);
  options.flags = flags;
  options.cache_folder = cache;
  options.debug_folders = &folder;
  options.debug_folder_count = folder ? 1 : 0;
  options.warning = warn;
  options.context = "warning";
  options.store = getenv("CHECK_STORE");
  options.helper = getenv("CHECK_HELPER");
  if (FAILED(lidia_modules_create(&options, &modules, &error)))
    exit(2);
  modules_made = modules;
  return modules;
}

/* module CACHE FLAGS PATH [BUILDID] */
static int run_module(char **args, int count) {
  lidia_modules *modules =
      make_modules(args[0], NULL, (uint32_t)strtoul(args[1], NULL, 0));
  lidia_archive *archive;
  uint8_t id[32];
  size_t size = 0;
  const char *digits = count > 3 ? args[3] : "";
  for (; size < sizeof(id) && digits[2 * size]; ++size) {
    unsigned byte;
    if (sscanf(digits + 2 * size, "%2x", &byte) != 1)
      return 2;
    id[size] = (uint8_t)byte;
  }
  if (FAILED(lidia_modules_get(modules, *args[2] ? args[2] : NULL, id, size,
                               &archive, &error))) {
    lidia_modules_free(modules);
    return 1;
  }
  /* The archive outlives the modules. */
  lidia_modules_free(modules);
  print_info(archive);
  lidia_archive_close(archive);
  return 0;
}

static void wait_a_little(void) {
  const struct timespec time = {0, 100000000};
  nanosleep(&time, NULL);
}

static int has_names_only(const lidia_archive *archive) {
  lidia_archive_info info;
  LIDIA_INIT(info);
  return !FAILED(lidia_archive_get_info(archive, &info, &error)) &&
         info.flags & LIDIA_HAS_NAMES_ONLY;
}

/* names CACHE FLAGS FILE ADDRESS...: the answers at once and, with
   LIDIA_MODULES_LINES_LATER, when the archive has been made. */
static int run_names(char **args, int count) {
  uint32_t flags = (uint32_t)strtoul(args[1], NULL, 0);
  lidia_modules *modules = make_modules(args[0], NULL, flags);
  lidia_archive *archive;
  int i, names_only = 1;
  for (i = 0; names_only && i != 600; ++i) {
    if (FAILED(lidia_modules_get(modules, args[2], NULL, 0, &archive, &error)))
      return 1;
    names_only = has_names_only(archive);
    if (i == 0 || !names_only) {
      printf("%s\n", names_only ? "names only" : "whole");
      look_up(archive, NULL, args + 3, count - 3);
    }
    lidia_archive_close(archive);
    if (!(flags & LIDIA_MODULES_LINES_LATER))
      break;
    wait_a_little();
  }
  lidia_modules_free(modules);
  return 0;
}

static void print_answer(lidia_process *process, uint64_t address,
                         int is_return_address) {
  static const char *const kinds[] = {"unmapped", "anonymous", "module", "jit",
                                      "kernel"};
  lidia_answer *answer;
  lidia_answer_info info;
  size_t i;
  if (FAILED(lidia_process_answer(process, address, is_return_address, &answer,
                                  &error)))
    return;
  LIDIA_INIT(info);
  if (FAILED(lidia_answer_get_info(answer, &info, &error)))
    return;
  printf("%s %s", kinds[info.kind], info.module);
  if (info.has_address)
    printf(" %#" PRIx64, info.address);
  printf("%s%s", info.reason_length ? ": " : "", info.reason);
  printf("%s%s\n", info.miss ? " -- " : "", lidia_miss_name(info.miss));
  for (i = 0; i != info.frame_count; ++i) {
    lidia_frame frame;
    LIDIA_INIT(frame);
    if (!FAILED(lidia_answer_get_frame(answer, i, &frame, &error)))
      print_frame(&frame);
  }
  lidia_answer_free(answer);
}

/* self CACHE: this process. */
static int run_self(char **args) {
  lidia_modules *modules = make_modules(args[0], "/nowhere", 0);
  lidia_process *process;
  lidia_process_options options;
  union {
    void (*function)(void *, uint64_t);
    uintptr_t address;
  } here = {count_pad};
  LIDIA_INIT(options);
  options.flags = LIDIA_LOOKUP_DEMANGLE;
  if (FAILED(lidia_process_open(modules, (uint64_t)getpid(), &options, &process,
                                &error)))
    return 1;
  print_answer(process, here.address, 0);
  print_answer(process, 1, 0);
  lidia_process_free(process);
  lidia_modules_free(modules);
  return 0;
}

#ifdef __x86_64__
/* A copy of the stack, as a profiler takes it. */
static struct {
  uint64_t begin;
  size_t size;
  unsigned char bytes[4096];
} stack;

/* The variables of the environment are near the end of the stack. */
__attribute__((noinline)) static uint64_t end_of_stack(void) {
  char **variable = environ;
  uint64_t end = 0;
  for (; *variable; ++variable)
    end = (uint64_t)*variable + strlen(*variable);
  return end;
}

static size_t read_stack(void *context, uint64_t address, void *to,
                         size_t size) {
  (void)context;
  if (address < stack.begin || size > stack.size ||
      address - stack.begin > stack.size - size)
    return 0;
  memcpy(to, stack.bytes + (address - stack.begin), size);
  return size;
}

/* The numbers that getcontext() has for DWARF's registers 0 to 15. */
static const int context_registers[] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

__attribute__((noinline)) static int unwind_here(lidia_process *process) {
  const uint64_t top = end_of_stack();
  ucontext_t context;
  uint64_t registers[16];
  lidia_unwind_options options;
  lidia_stack_frame frames[16];
  size_t count, i;
  uint32_t end;
  getcontext(&context);
  for (i = 0; i != 16; ++i)
    registers[i] = (uint64_t)context.uc_mcontext.gregs[context_registers[i]];
  stack.begin = registers[7];
  stack.size = top - stack.begin;
  if (stack.size > sizeof(stack.bytes))
    stack.size = sizeof(stack.bytes);
  memcpy(stack.bytes, (void *)(uintptr_t)stack.begin, stack.size);
  LIDIA_INIT(options);
  options.pc = (uint64_t)context.uc_mcontext.gregs[REG_RIP];
  options.registers = registers;
  options.register_count = 16;
  options.known_registers = 0xffff;
  options.read_memory = read_stack;
  if (FAILED(lidia_process_unwind(process, &options, frames, 16, &count, &end,
                                  &error)))
    return 1;
  for (i = 0; i != count && i != 4; ++i) {
    printf("trust %u, flags %u\n", frames[i].trust, frames[i].flags);
    print_answer(process, frames[i].address,
                 frames[i].flags & LIDIA_FRAME_IS_RETURN_ADDRESS);
  }
  printf("end %u\n", end);
  options.known_registers = 0xffff & ~(1u << 7);
  if (!FAILED(lidia_process_unwind(process, &options, frames, 16, &count, &end,
                                   &error)))
    return 1;
  options.known_registers = 0xffff;
  options.flags = 2;
  return !FAILED(lidia_process_unwind(process, &options, frames, 16, &count,
                                      &end, &error));
}

__attribute__((noinline)) static int unwind_caller(lidia_process *process) {
  return unwind_here(process) + 1;
}

/* unwind CACHE: this function's stack. */
static int run_unwind(char **args) {
  lidia_modules *modules = make_modules(args[0], NULL, 0);
  lidia_process *process;
  int result;
  if (FAILED(lidia_process_open(modules, (uint64_t)getpid(), NULL, &process,
                                &error)))
    return 1;
  result = unwind_caller(process) - 1;
  lidia_process_free(process);
  lidia_modules_free(modules);
  return result;
}
#endif

/* live CACHE MODULE-FLAGS FLAGS ADDRESS: its own function and the address, now
   and, with LIDIA_MODULES_LINES_LATER, when there are lines. */
static int run_live(char **args) {
  uint32_t flags = (uint32_t)strtoul(args[1], NULL, 0);
  lidia_modules *modules = make_modules(args[0], NULL, flags);
  lidia_process_options options;
  lidia_process *process;
  uint64_t own[2];
  int i;
  LIDIA_INIT(options);
  options.flags = (uint32_t)strtoul(args[2], NULL, 0);
  own[0] = (uint64_t)(uintptr_t)&count_pad;
  own[1] = strtoull(args[3], NULL, 0);
  if (FAILED(lidia_process_open(modules, (uint64_t)getpid(), &options, &process,
                                &error)) ||
      FAILED(lidia_process_prepare(process, own, 2, 0, &error)))
    return 1;
  print_answer(process, own[0], 0);
  print_answer(process, own[1], 0);
  for (i = 0; flags & LIDIA_MODULES_LINES_LATER && i != 600; ++i) {
    lidia_answer *answer;
    lidia_answer_info info;
    wait_a_little();
    LIDIA_INIT(info);
    if (FAILED(lidia_process_answer(process, own[0], 0, &answer, &error)) ||
        FAILED(lidia_answer_get_info(answer, &info, &error)))
      return 1;
    lidia_answer_free(answer);
    if (info.miss != LIDIA_MISS_NAMES_ONLY)
      break;
  }
  print_answer(process, own[0], 0);
  lidia_process_free(process);
  lidia_modules_free(modules);
  return 0;
}

static void print_bytes(const uint8_t *bytes, size_t size) {
  size_t i;
  for (i = 0; i != size; ++i)
    printf("%02x", bytes[i]);
  printf("\n");
}

static void print_location(lidia_process *process, uint64_t address) {
  lidia_location location;
  LIDIA_INIT(location);
  if (FAILED(lidia_process_locate(process, address, &location, &error)))
    exit(1);
  printf("kind %u, flags %u, offset %#llx, address %#llx, '%s', build ID ",
         location.kind, location.flags,
         (unsigned long long)location.file_offset,
         (unsigned long long)location.address, location.path);
  print_bytes(location.build_id, location.build_id_size);
}

/* build-id FILE CAPACITY */
static int run_build_id(char **args) {
  uint8_t bytes[32];
  size_t size;
  if (FAILED(lidia_file_build_id(args[0], bytes, strtoul(args[1], NULL, 0),
                                 &size, &error)))
    return 1;
  print_bytes(bytes, size);
  return 0;
}

/* maps CACHE MAPS ROOT ADDRESS..., with CHECK_DEMANGLE in the environment demangled;
   locate prints no symbols. */
static int run_maps(char **args, int count, int locates) {
  lidia_modules *modules = make_modules(args[0], NULL, 0);
  struct memory maps = read_file(args[1]);
  lidia_process *process;
  lidia_process_options options;
  int i;
  LIDIA_INIT(options);
  if (getenv("CHECK_DEMANGLE"))
    options.flags = LIDIA_LOOKUP_DEMANGLE;
  if (FAILED(lidia_process_open_maps(modules, maps.bytes, maps.size, args[2],
                                     &options, &process, &error)))
    return 1;
  for (i = 3; i != count; ++i)
    if (locates)
      print_location(process, strtoull(args[i], NULL, 0));
    else
      print_answer(process, strtoull(args[i], NULL, 0), 0);
  lidia_process_free(process);
  lidia_modules_free(modules);
  free(maps.bytes);
  return 0;
}

/* profile CACHE MODULE-FLAGS FLAGS INPUT OUTPUT ROOT INPUT-FORMAT OUTPUT-FORMAT
   [BINARY...]; empty words stand for NULL. */
static int run_profile(char **args, int count) {
  lidia_modules *modules =
      make_modules(args[0], NULL, (uint32_t)strtoul(args[1], NULL, 0));
  lidia_profile_options options;
  int failed;
  LIDIA_INIT(options);
  options.flags = (uint32_t)strtoul(args[2], NULL, 0);
  options.root = *args[5] ? args[5] : NULL;
  options.input_format = *args[6] ? args[6] : NULL;
  options.output_format = *args[7] ? args[7] : NULL;
  options.binaries = (const char *const *)(args + 8);
  options.binary_count = (size_t)(count - 8);
  failed = FAILED(
      lidia_profile_symbolize(modules, args[3], args[4], &options, &error));
  lidia_modules_free(modules);
  return failed;
}

/* What the threads of run_forks use, and what they and the children do. */
static struct {
  lidia_modules *modules;
  lidia_process *process;
  lidia_archive *archive;
  const char *binary, *other;
  volatile int stop;
} forking;

/* Returns 0 if everything was answered. */
static int use_all(const char *binary) {
  lidia_archive *archive;
  lidia_answer *answer;
  lidia_lookup *lookup;
  uint64_t addresses[64];
  size_t found = 0;
  unsigned i;
  if (lidia_modules_get(forking.modules, binary, NULL, 0, &archive, NULL))
    return 1;
  lidia_archive_close(archive);
  if (lidia_process_answer(forking.process, (uint64_t)(uintptr_t)&count_pad, 0,
                           &answer, NULL))
    return 2;
  lidia_answer_free(answer);
  if (lidia_lookup_create(forking.archive, NULL, &lookup, NULL))
    return 3;
  for (i = 0; i != 64; ++i)
    addresses[i] = 0x400000 + 16 * i;
  if (lidia_lookup_addresses(lookup, addresses, 64, NULL))
    return 4;
  for (i = 0; i != 64; ++i)
    found += lidia_lookup_frame_count(lookup, i);
  lidia_lookup_free(lookup);
  return found ? 0 : 5;
}

static void *use_again(void *context) {
  unsigned i;
  for (i = 0; !forking.stop; ++i)
    if (use_all(i % 2 ? forking.binary : forking.other))
      break;
  return context;
}

/* The child of a fork. It also converts. */
static int use_in_child(const char *output) {
  int failed;
  alarm(60);
  failed = use_all(forking.binary);
  if (!failed && lidia_convert(forking.binary, output, NULL, NULL))
    failed = 6;
  return failed;
}

/* forks CACHE BINARY OTHER ARCHIVE OUTPUT COUNT: forks while three threads use
   the same objects. */
static int run_forks(char **args) {
  lidia_modules_options options;
  lidia_open_options open;
  pthread_t threads[3];
  int i, status, failed = 0, count = atoi(args[5]);
  LIDIA_INIT(options);
  options.cache_folder = args[0];
  /* The threads open them again and again. */
  options.max_modules = 1;
  LIDIA_INIT(open);
  /* Parts are read again and again. */
  open.frame_cache_size = 1;
  if (FAILED(lidia_modules_create(&options, &forking.modules, &error)) ||
      FAILED(lidia_process_open(forking.modules, (uint64_t)getpid(), NULL,
                                &forking.process, &error)) ||
      FAILED(lidia_archive_open(args[3], &open, &forking.archive, &error)))
    return 1;
  forking.binary = args[1];
  forking.other = args[2];
  for (i = 0; i != 3; ++i)
    if (pthread_create(&threads[i], NULL, use_again, NULL))
      return 2;
  for (i = 0; i != count; ++i) {
    pid_t child = fork();
    if (!child)
      _exit(use_in_child(args[4]));
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) || WEXITSTATUS(status)) {
      printf("child %d: status 0x%x\n", i, (unsigned)status);
      ++failed;
    }
  }
  forking.stop = 1;
  for (i = 0; i != 3; ++i)
    pthread_join(threads[i], NULL);
  printf("%d of %d children failed\n", failed, count);
  lidia_archive_close(forking.archive);
  lidia_process_free(forking.process);
  lidia_modules_free(forking.modules);
  return 0;
}

/* wrong ARCHIVE: calls that break a rule. */
static int run_wrong(char **args) {
  lidia_archive *archive = NULL;
  lidia_lookup *lookup;
  lidia_open_options open;
  lidia_modules_options modules;
  lidia_modules *made;
  const char *nowhere = NULL;
  lidia_frame frame;
  lidia_reader reader;
  struct {
    lidia_lookup_options known;
    uint64_t added;
  } later;
  struct {
    size_t struct_size;
    uint32_t flags;
  } earlier = {sizeof(earlier), 0};

  FAILED(lidia_archive_open(NULL, NULL, &archive, &error));
  memset(&open, 0, sizeof(open));
  FAILED(lidia_archive_open(args[0], &open, &archive, &error));
  LIDIA_INIT(open);
  open.flags = 1u << 30;
  FAILED(lidia_archive_open(args[0], &open, &archive, &error));
  /* Errors need not be taken. */
  printf("%d\n", lidia_archive_open("/no/such/file", NULL, &archive, NULL));

  if (FAILED(lidia_archive_open(args[0], NULL, &archive, &error)))
    return 1;
  /* A program that was built with a later header, and one with an earlier. */
  memset(&later, 0, sizeof(later));
  later.known.struct_size = sizeof(later);
  if (!FAILED(lidia_lookup_create(archive, &later.known, &lookup, &error)))
    lidia_lookup_free(lookup);
  later.added = 1;
  FAILED(lidia_lookup_create(archive, &later.known, &lookup, &error));
  if (FAILED(lidia_lookup_create(archive, (void *)&earlier, &lookup, &error)))
    return 1;
  LIDIA_INIT(frame);
  FAILED(lidia_lookup_get_frame(lookup, 0, 0, &frame, &error));
  lidia_lookup_free(lookup);
  lidia_archive_close(archive);

  LIDIA_INIT(modules);
  modules.debug_folders = &nowhere;
  modules.debug_folder_count = 1;
  FAILED(lidia_modules_create(&modules, &made, &error));

  /* A reader that is refused is closed. */
  LIDIA_INIT(reader);
  reader.close = close_reader;
  FAILED(lidia_archive_open_reader(&reader, "far", NULL, &archive, &error));
  reader.read_at = read_at;
  FAILED(lidia_archive_open_reader(&reader, "far", NULL, NULL, &error));
  open.flags = 1u << 30;
  FAILED(lidia_archive_open_reader(&reader, "far", &open, &archive, &error));

  lidia_archive_close(NULL);
  lidia_lookup_free(NULL);
  lidia_modules_free(NULL);
  lidia_process_free(NULL);
  lidia_answer_free(NULL);
  lidia_error_free(NULL);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  if (!strcmp(argv[1], "info")) {
    struct memory memory;
    lidia_archive *archive = open_archive(argv[2], argv[3], &memory);
    if (!archive)
      return 1;
    print_info(archive);
    lidia_archive_close(archive);
    free(memory.bytes);
    return 0;
  }
  if (!strcmp(argv[1], "lookup"))
    return run_lookup(argv + 2, argc - 2);
  if (!strcmp(argv[1], "single"))
    return run_single(argv + 2);
  if (!strcmp(argv[1], "convert"))
    return run_convert(argv + 2, argc - 2);
  if (!strcmp(argv[1], "module"))
    return run_module(argv + 2, argc - 2);
  if (!strcmp(argv[1], "names"))
    return run_names(argv + 2, argc - 2);
  if (!strcmp(argv[1], "live"))
    return run_live(argv + 2);
  if (!strcmp(argv[1], "functions"))
    return run_functions(argv + 2, argc - 2);
  if (!strcmp(argv[1], "memory"))
    return run_memory(argv + 2);
  if (!strcmp(argv[1], "self"))
    return run_self(argv + 2);
  if (!strcmp(argv[1], "maps"))
    return run_maps(argv + 2, argc - 2, 0);
  if (!strcmp(argv[1], "locate"))
    return run_maps(argv + 2, argc - 2, 1);
  if (!strcmp(argv[1], "build-id"))
    return run_build_id(argv + 2);
#ifdef __x86_64__
  if (!strcmp(argv[1], "unwind"))
    return run_unwind(argv + 2);
#endif
  if (!strcmp(argv[1], "profile"))
    return run_profile(argv + 2, argc - 2);
  if (!strcmp(argv[1], "forks"))
    return run_forks(argv + 2);
  if (!strcmp(argv[1], "wrong"))
    return run_wrong(argv + 2);
  return 2;
}
