/*===- lidia.h - The C interface of lidia ------------------------- -*- C
-*-===*\
|*
|* Part of the lidia project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE.txt for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* From addresses to functions, files and lines, for programs in any language
|* that can call C: archives, their conversion from binaries, the archives of
|* many modules, and processes.
|*
|* Rules that hold for all functions:
|*
|* - Structures begin with struct_size, which the caller sets to their sizeof;
|*   LIDIA_INIT does that and clears the rest. So a structure can grow: the
|*   library neither reads nor writes beyond the size that the caller knows.
|* - A function that can fail returns a lidia_status. Its last parameter, which
|*   may be NULL, receives an error to be freed with lidia_error_free, or NULL.
|*   Results are only set if the status is LIDIA_OK.
|* - Each object that a function creates is freed by one that its comment names;
|*   freeing NULL does nothing.
|* - Strings that the library takes are copied if they are needed later. Those
|*   that it gives are terminated by a zero byte, which their length leaves out,
|*   and belong to the object that they were asked of. Names and paths are bytes
|*   as they are in the debug information: not always UTF-8.
|* - Nothing throws, ends the process, writes to standard output or standard
|*   error, or changes a signal's action. Two things end a process all the same:
|*   no memory (lidia_convert_options.helper keeps a conversion away), and a
|*   mapped file that somebody truncates (LIDIA_OPEN_COPY avoids it).
|* - Different objects can be used by different threads at the same time. The
|*   comment of a type says whether one object can be shared.
|*
\*===----------------------------------------------------------------------===*/

#ifndef LIDIA_C_LIDIA_H
#define LIDIA_C_LIDIA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LIDIA_API __attribute__((visibility("default")))
#else
#define LIDIA_API
#endif

/** Clears the structure S and sets its struct_size. */
#define LIDIA_INIT(S) (memset(&(S), 0, sizeof(S)), (S).struct_size = sizeof(S))

/** Grows when functions, flags or members are added. */
#define LIDIA_API_VERSION 3

/** The LIDIA_API_VERSION of the library that is loaded. */
LIDIA_API uint32_t lidia_api_version(void);
/** The version of the project: "0.1.0". */
LIDIA_API const char *lidia_version(void);

/*===----------------------------------------------------------------------===*\
|* Errors
\*===----------------------------------------------------------------------===*/

typedef enum lidia_status {
  LIDIA_OK = 0,
  /** The file is no archive, and does not begin like one. */
  LIDIA_NOT_AN_ARCHIVE = 1,
  /** The file is in no format of binaries that is read. */
  LIDIA_NOT_A_BINARY = 2,
  /** The contents contradict their format, or end too early. */
  LIDIA_DAMAGED = 3,
  /** Something that this version does not read or write. */
  LIDIA_UNSUPPORTED = 4,
  /** The file lacks what was asked for: debug information, checksums. */
  LIDIA_MISSING_INFORMATION = 5,
  /** More than a limit that protects from crafted input. */
  LIDIA_LIMIT = 6,
  /** A parameter, or a call that breaks a rule. */
  LIDIA_ARGUMENT = 7,
  /** The operating system refused; lidia_error_errno has its number. */
  LIDIA_SYSTEM = 8,
  /** The helper process of a conversion failed; the message and the file are
   *  its own. */
  LIDIA_HELPER_FAILED = 9
} lidia_status;

typedef struct lidia_error lidia_error;

LIDIA_API lidia_status lidia_error_status(const lidia_error *error);
/** The number of a system's error (ENOENT), or 0. */
LIDIA_API int lidia_error_errno(const lidia_error *error);
/** A sentence that names the file and needs no other words. */
LIDIA_API const char *lidia_error_message(const lidia_error *error);
/** The file, or an empty string. */
LIDIA_API const char *lidia_error_file(const lidia_error *error);
LIDIA_API void lidia_error_free(lidia_error *error);

/*===----------------------------------------------------------------------===*\
|* Archives
\*===----------------------------------------------------------------------===*/

/** An open archive, plain or compressed. Any number of threads can share it. */
typedef struct lidia_archive lidia_archive;

/** lidia_open_options.flags: read a private copy instead of mapping the file,
    for files that others may write to in place. */
#define LIDIA_OPEN_COPY 1u

typedef struct lidia_open_options {
  size_t struct_size;
  uint32_t flags;
  /** Bytes of a compressed archive that stay unpacked; 0: 8 MiB. */
  uint64_t frame_cache_size;
} lidia_open_options;

/** Gives parts of a file that is somewhere else. */
typedef struct lidia_reader {
  size_t struct_size;
  /** For read_at and close. */
  void *context;
  /** Bytes in the file. */
  uint64_t file_size;
  /** Stores all of the size bytes at offset, which lie in the file, in to.
      Returns 0 or a number of errno. Different threads call it at once. */
  int (*read_at)(void *context, uint64_t offset, void *to, size_t size);
  /** Called once, when nothing reads the file any more, also if opening fails
      for any reason but a struct_size that is not valid. May be NULL. */
  void (*close)(void *context);
} lidia_reader;

/** Opens the file at path. options may be NULL. Free: lidia_archive_close. */
LIDIA_API lidia_status lidia_archive_open(const char *path,
                                          const lidia_open_options *options,
                                          lidia_archive **archive,
                                          lidia_error **error);
/** Uses size bytes at data, which must stay until the archive is closed. name
    is for messages. */
LIDIA_API lidia_status
lidia_archive_open_memory(const void *data, size_t size, const char *name,
                          const lidia_open_options *options,
                          lidia_archive **archive, lidia_error **error);
/** Reads what is needed by reader, which is copied. */
LIDIA_API lidia_status
lidia_archive_open_reader(const lidia_reader *reader, const char *name,
                          const lidia_open_options *options,
                          lidia_archive **archive, lidia_error **error);
LIDIA_API void lidia_archive_close(lidia_archive *archive);

/** lidia_archive_info.flags: what the archive has. */
#define LIDIA_HAS_CHECKSUMS 1u
#define LIDIA_HAS_FILES 2u
#define LIDIA_HAS_LINES 4u
#define LIDIA_HAS_COLUMNS 8u
#define LIDIA_HAS_RETURN_PADS 16u

typedef struct lidia_archive_info {
  size_t struct_size;
  uint32_t flags;
  /** e_machine of the binary (EM_X86_64), or 0 if the archive does not say. */
  uint32_t machine;
  /** Bytes in the archive, unpacked. */
  uint64_t size;
  uint64_t range_count;
  uint64_t row_count;
  uint64_t return_pad_count;
  /** Of the binary; NULL without one. Belongs to the archive. */
  const uint8_t *build_id;
  size_t build_id_size;
} lidia_archive_info;

/** Fills info, whose struct_size is set. */
LIDIA_API lidia_status lidia_archive_get_info(const lidia_archive *archive,
                                              lidia_archive_info *info,
                                              lidia_error **error);
/** Reads all of the archive: its checksums, if it has any, and its structure.
 */
LIDIA_API lidia_status lidia_archive_verify(const lidia_archive *archive,
                                            lidia_error **error);
/** Calls visit with each return address after a call instruction, ascending.
 */
LIDIA_API void lidia_archive_for_each_return_pad(
    const lidia_archive *archive,
    void (*visit)(void *context, uint64_t address), void *context);

/*===----------------------------------------------------------------------===*\
|* Looking up
\*===----------------------------------------------------------------------===*/

/** Looks addresses up in one archive and keeps the last answers. For one thread
    at a time; threads that share an archive have one each. */
typedef struct lidia_lookup lidia_lookup;

/** lidia_lookup_options.flags: demangle the names (otherwise they are linkage
    names); without scopes and parameters; the addresses are return addresses:
    answer the call before each. */
#define LIDIA_LOOKUP_DEMANGLE 1u
#define LIDIA_LOOKUP_SHORT_NAMES 2u
#define LIDIA_LOOKUP_RETURN_ADDRESSES 4u

typedef struct lidia_lookup_options {
  size_t struct_size;
  uint32_t flags;
  /** Threads for many addresses at once; 0: one. */
  uint32_t threads;
} lidia_lookup_options;

/** One function of an answer. The strings stay until the lookup, or the answer
    of a process, is freed. Empty strings and 0 for what is not known. */
typedef struct lidia_frame {
  size_t struct_size;
  const char *function;
  size_t function_length;
  const char *file;
  size_t file_length;
  uint32_t line;
  uint32_t column;
  /** Whether it was inlined into the next frame. */
  uint32_t is_inlined;
} lidia_frame;

/** options may be NULL. The archive must not be closed before the lookup is
    freed. Free: lidia_lookup_free. */
LIDIA_API lidia_status lidia_lookup_create(const lidia_archive *archive,
                                           const lidia_lookup_options *options,
                                           lidia_lookup **lookup,
                                           lidia_error **error);
LIDIA_API void lidia_lookup_free(lidia_lookup *lookup);
/** Looks up count addresses of the archive's address space, in any order. Their
    answers replace those before. An error says that the archive is damaged;
   there are answers all the same, which may lack something. */
LIDIA_API lidia_status lidia_lookup_addresses(lidia_lookup *lookup,
                                              const uint64_t *addresses,
                                              size_t count,
                                              lidia_error **error);
/** The number of frames of the address at index; 0 if nothing is known. */
LIDIA_API size_t lidia_lookup_frame_count(const lidia_lookup *lookup,
                                          size_t index);
/** Fills frame, whose struct_size is set, with a frame of the address at index;
    number 0 is the innermost. */
LIDIA_API lidia_status lidia_lookup_get_frame(lidia_lookup *lookup,
                                              size_t index, size_t number,
                                              lidia_frame *frame,
                                              lidia_error **error);

/*===----------------------------------------------------------------------===*\
|* Converting
\*===----------------------------------------------------------------------===*/

/** lidia_convert_options.flags: what the archive has (the LIDIA_HAS_ flags; the
    last needs a helper), compress it, and do not look for a separate debug
    file. */
#define LIDIA_CONVERT_COMPRESS 256u
#define LIDIA_CONVERT_NO_DEBUG_FILE 512u

/** Receives a message about a part of the input that was left out. Must not
   call functions of this library. */
typedef void (*lidia_warning)(void *context, const char *message);

typedef struct lidia_convert_options {
  size_t struct_size;
  uint32_t flags;
  /** Threads; 0: as many as the machine has. */
  uint32_t threads;
  /** The file with the debug information, or NULL. */
  const char *debug_file;
  /** Which file of a universal Mach-O file is meant ("arm64"), or NULL. */
  const char *architecture;
  /** The path of the program llvm-lidia, to convert in a process of its own,
      which may run out of memory; NULL to convert in this process. Warnings
      come when it has ended. The caller must not ignore SIGCHLD, nor wait for
      processes that it did not start. */
  const char *helper;
  /** May be NULL. Called by one thread at a time. */
  lidia_warning warning;
  void *context;
} lidia_convert_options;

/** Writes the archive of the file binary to the file output, which appears
    whole or not at all. options may be NULL. */
LIDIA_API lidia_status lidia_convert(const char *binary, const char *output,
                                     const lidia_convert_options *options,
                                     lidia_error **error);

/*===----------------------------------------------------------------------===*\
|* Many modules, and processes
\*===----------------------------------------------------------------------===*/

/** Finds the archives of modules, or makes them in a cache. Any number of
    threads can share it. */
typedef struct lidia_modules lidia_modules;

/** lidia_modules_options.flags: do not make archives that are missing. */
#define LIDIA_MODULES_NO_CONVERSION 1u
/** Columns are wanted: pass over an archive beside a file (a.out.lidia) that
   has none, if the cache has one or can make it. */
#define LIDIA_MODULES_COLUMNS 2u

typedef struct lidia_modules_options {
  size_t struct_size;
  uint32_t flags;
  /** Modules that are kept open; 0: 128. */
  uint32_t max_modules;
  /** The cache folder; NULL: as llvm-lidia's. */
  const char *cache_folder;
  /** Folders with .build-id below them, beside those of the system. */
  const char *const *debug_folders;
  size_t debug_folder_count;
  /** May be NULL. Called by one thread at a time. */
  lidia_warning warning;
  void *context;
  /** Since version 3: archives of modules that have a build ID are taken from
      here before any is made: a folder, "s3://bucket/prefix", or the URL of a
      server; NULL for none. Needs libcurl.so.4 for URLs, which is loaded then.
   */
  const char *store;
} lidia_modules_options;

/** options may be NULL. A store that is missing, empty or refused is an error.
    Free: lidia_modules_free, after all of its processes. */
LIDIA_API lidia_status
lidia_modules_create(const lidia_modules_options *options,
                     lidia_modules **modules, lidia_error **error);
LIDIA_API void lidia_modules_free(lidia_modules *modules);
/** The archive of the file at path, or of a build ID, or of a file that must
    have this build ID; path or build_id may be NULL. The archive stays open
    until lidia_archive_close, whatever happens to modules. */
LIDIA_API lidia_status lidia_modules_get(
    lidia_modules *modules, const char *path, const uint8_t *build_id,
    size_t build_id_size, lidia_archive **archive, lidia_error **error);

/** The mappings of a process, and the answers to its addresses. Any number of
    threads can share it. */
typedef struct lidia_process lidia_process;

typedef struct lidia_process_options {
  size_t struct_size;
  /** LIDIA_LOOKUP_DEMANGLE, LIDIA_LOOKUP_SHORT_NAMES. */
  uint32_t flags;
} lidia_process_options;

/** The live process pid; its mappings are read now. options may be NULL. Free:
    lidia_process_free. */
LIDIA_API lidia_status lidia_process_open(lidia_modules *modules, uint64_t pid,
                                          const lidia_process_options *options,
                                          lidia_process **process,
                                          lidia_error **error);
/** A process whose /proc/PID/maps was saved: size bytes of text. Its files are
    opened below the folder root; NULL: not at all. */
LIDIA_API lidia_status
lidia_process_open_maps(lidia_modules *modules, const char *maps, size_t size,
                        const char *root, const lidia_process_options *options,
                        lidia_process **process, lidia_error **error);
LIDIA_API void lidia_process_free(lidia_process *process);

typedef enum lidia_address_kind {
  /** Nothing is mapped there. */
  LIDIA_ADDRESS_UNMAPPED = 0,
  /** Memory without a file. */
  LIDIA_ADDRESS_ANONYMOUS = 1,
  LIDIA_ADDRESS_MODULE = 2,
  /** Code in a map of just-in-time compiled code. */
  LIDIA_ADDRESS_JIT = 3,
  LIDIA_ADDRESS_KERNEL = 4
} lidia_address_kind;

/** The answer to one address of a process. Any number of threads can share
    it. */
typedef struct lidia_answer lidia_answer;

typedef struct lidia_answer_info {
  size_t struct_size;
  /** A lidia_address_kind. */
  uint32_t kind;
  /** Whether address is set: the address in the module's own address space. */
  uint32_t has_address;
  uint64_t address;
  /** The path as mapped, "[vdso]", "[anon]", ... */
  const char *module;
  size_t module_length;
  /** Why the module has no archive; empty if it has one. */
  const char *reason;
  size_t reason_length;
  size_t frame_count;
} lidia_answer_info;

/** Answers a runtime address; with is_return_address the call before it. Free:
    lidia_answer_free. */
LIDIA_API lidia_status lidia_process_answer(lidia_process *process,
                                            uint64_t address,
                                            int is_return_address,
                                            lidia_answer **answer,
                                            lidia_error **error);
LIDIA_API void lidia_answer_free(lidia_answer *answer);
/** Fills info, whose struct_size is set. The strings belong to the answer. */
LIDIA_API lidia_status lidia_answer_get_info(const lidia_answer *answer,
                                             lidia_answer_info *info,
                                             lidia_error **error);
/** Fills frame, whose struct_size is set; number 0 is the innermost. */
LIDIA_API lidia_status lidia_answer_get_frame(const lidia_answer *answer,
                                              size_t number, lidia_frame *frame,
                                              lidia_error **error);

/** lidia_unwind_options.flags: where nothing else leads on, take words on the
    stack that look like return addresses. */
#define LIDIA_UNWIND_SCAN 1u

/** A thread at a moment: its registers, and how to read its memory. */
typedef struct lidia_unwind_options {
  size_t struct_size;
  /** LIDIA_UNWIND_SCAN. */
  uint32_t flags;
  /** An e_machine of ELF; 0: that of the library. */
  uint32_t machine;
  uint64_t pc;
  /** register_count registers, by DWARF's numbers for the machine, of which
      those with a bit in known_registers count. The stack pointer is needed. */
  const uint64_t *registers;
  size_t register_count;
  uint64_t known_registers;
  /** Stores up to size bytes at address in to, and returns their number. NULL:
      reads the process, if it is alive. */
  size_t (*read_memory)(void *context, uint64_t address, void *to, size_t size);
  void *context;
  /** The bits of a return address that hold no address (AArch64's pointer
      authentication). */
  uint64_t code_mask;
} lidia_unwind_options;

typedef enum lidia_frame_trust {
  LIDIA_TRUST_CONTEXT = 0,
  LIDIA_TRUST_CFI = 1,
  LIDIA_TRUST_FRAME_POINTER = 2,
  LIDIA_TRUST_SCAN = 3,
} lidia_frame_trust;

/** lidia_stack_frame.flags. */
#define LIDIA_FRAME_IS_RETURN_ADDRESS 1u
#define LIDIA_FRAME_IS_SIGNAL 2u

/** A frame without the calls inlined into it: lidia_process_answer has them. */
typedef struct lidia_stack_frame {
  uint64_t address;
  uint64_t stack_pointer;
  /** A lidia_frame_trust. */
  uint32_t trust;
  uint32_t flags;
} lidia_stack_frame;

typedef enum lidia_stack_end {
  /** The outermost function was reached. */
  LIDIA_STACK_COMPLETE = 0,
  LIDIA_STACK_NO_MEMORY = 1,
  /** The code has no unwind information. */
  LIDIA_STACK_NO_ROWS = 2,
  LIDIA_STACK_CORRUPT = 3,
  /** There are more frames than capacity. */
  LIDIA_STACK_TOO_LONG = 4,
} lidia_stack_end;

/** Unwinds a stack by the archives of the modules: stores up to capacity
   frames, innermost first, their number in count and a lidia_stack_end in end,
   which may be NULL. Threads that share a process wait for each other. */
LIDIA_API lidia_status lidia_process_unwind(lidia_process *process,
                                            const lidia_unwind_options *options,
                                            lidia_stack_frame *frames,
                                            size_t capacity, size_t *count,
                                            uint32_t *end, lidia_error **error);

/*===----------------------------------------------------------------------===*\
|* Profiles
\*===----------------------------------------------------------------------===*/

/** lidia_profile_options.flags, beside LIDIA_LOOKUP_DEMANGLE and
    LIDIA_LOOKUP_SHORT_NAMES: also answer locations that have lines. */
#define LIDIA_PROFILE_FORCE 256u

typedef struct lidia_profile_options {
  size_t struct_size;
  uint32_t flags;
  /** The format of the input, by its name in llvm-lidia profile --input-format=
      ("pprof", "otlp", "otlp-json", "perf", "perf-script"); NULL: by its
      contents. */
  const char *input_format;
  /** The format of the output, by its name in --output-format= ("folded",
      "html", ...); NULL: that of the input. */
  const char *output_format;
  /** Binaries, which are used for modules of their names; folders, which have
      binaries in any place; and the folder below which the paths in the profile
      are opened ("/" for those of this system), or NULL. No other file that the
      profile names is opened. */
  const char *const *binaries;
  size_t binary_count;
  const char *const *folders;
  size_t folder_count;
  const char *root;
} lidia_profile_options;

/** Writes the profile in the file input, with functions, files and lines, to
    the file output, which appears whole or not at all. Archives are found and
    made as by modules, whose warning function is told which modules have none.
    options may be NULL. */
LIDIA_API lidia_status lidia_profile_symbolize(
    lidia_modules *modules, const char *input, const char *output,
    const lidia_profile_options *options, lidia_error **error);

#ifdef __cplusplus
}
#endif

#endif /* LIDIA_C_LIDIA_H */
