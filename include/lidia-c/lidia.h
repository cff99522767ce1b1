/*===- lidia.h - The C interface of lidia -------------------------*- C -*-===*\
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
|* These rules apply to all functions:
|*
|* - Structures begin with struct_size, which the caller sets to their sizeof;
|*   LIDIA_INIT does this and clears the rest. So structures can grow: the
|*   library neither reads nor writes beyond the size that the caller knows.
|* - A function that can fail returns a lidia_status. Its last parameter, which
|*   may be NULL, receives an error to be freed with lidia_error_free, or NULL.
|*   Results are only set if the status is LIDIA_OK.
|* - The comment of a function that creates an object names the function that
|*   frees it. Freeing NULL does nothing.
|* - The library copies strings that are passed to it if it needs them later.
|*   Strings that it returns are terminated by a zero byte, which their length
|*   does not include, and are owned by the object that they were requested
|*   from. Names and paths are bytes as in the debug information, and not always
|*   UTF-8.
|* - Functions do not throw, end the process, write to standard output or
|*   standard error, or change a signal's action. There are two exceptions that
|*   end the process: lack of memory (lidia_convert_options.helper avoids this
|*   for conversions), and truncation of a mapped file (LIDIA_OPEN_COPY avoids
|*   this).
|* - A child of fork() can use all objects of its parent, even if other threads
|*   of the parent were inside calls: it opens again what it needs, with the
|*   options that were given. Objects that belong to one thread (lidia_lookup)
|*   and results (lidia_answer) stay valid, unless another thread of the parent
|*   was using them. Do not fork in functions that the library calls.
|* - Different threads can use different objects at the same time. The comment
|*   of a type says whether threads can share one object.
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

/** Since version 5: the same for languages that cannot use macros of C. Clears
    the size bytes of structure, as the caller knows it, and sets its
    struct_size. */
LIDIA_API void lidia_init(void *structure, size_t size);

/** Grows when functions, flags or members are added. */
#define LIDIA_API_VERSION 5

/** The LIDIA_API_VERSION of the library that is loaded. */
LIDIA_API uint32_t lidia_api_version(void);
/** The version of the project: "0.1.0". */
LIDIA_API const char *lidia_version(void);

/*===----------------------------------------------------------------------===*\
|* Errors
\*===----------------------------------------------------------------------===*/

typedef enum lidia_status {
  LIDIA_OK = 0,
  /** The file is not an archive: it does not begin like one. */
  LIDIA_NOT_AN_ARCHIVE = 1,
  /** The file is not in a format of binaries that this version reads. */
  LIDIA_NOT_A_BINARY = 2,
  /** The file violates its format, or is truncated. */
  LIDIA_DAMAGED = 3,
  /** The request needs a feature that this version does not have. */
  LIDIA_UNSUPPORTED = 4,
  /** The file lacks the requested data, such as debug information or
      checksums. */
  LIDIA_MISSING_INFORMATION = 5,
  /** The input exceeds a limit that protects against crafted input. */
  LIDIA_LIMIT = 6,
  /** A parameter is invalid, or the call breaks a rule. */
  LIDIA_ARGUMENT = 7,
  /** The operating system reported an error; see lidia_error_errno. */
  LIDIA_SYSTEM = 8,
  /** The helper process of a conversion failed. The message and the file come
      from it. */
  LIDIA_HELPER_FAILED = 9
} lidia_status;

typedef struct lidia_error lidia_error;

LIDIA_API lidia_status lidia_error_status(const lidia_error *error);
/** The errno of a system error (such as ENOENT), or 0. */
LIDIA_API int lidia_error_errno(const lidia_error *error);
/** The message, which names the file and can be printed as it is. */
LIDIA_API const char *lidia_error_message(const lidia_error *error);
/** The name of the file, or an empty string. */
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
  /** How many unpacked bytes of a compressed archive stay in memory; 0 means 8
      MiB. */
  uint64_t frame_cache_size;
} lidia_open_options;

/** Reads parts of a file that is somewhere else. */
typedef struct lidia_reader {
  size_t struct_size;
  /** Passed to read_at and close. */
  void *context;
  /** Bytes in the file. */
  uint64_t file_size;
  /** Stores the size bytes at offset, which are inside the file, in to. Returns
      0 or a value of errno. Several threads may call it at the same time. */
  int (*read_at)(void *context, uint64_t offset, void *to, size_t size);
  /** Called once, when the file is no longer read. Also called if opening
      fails, unless a struct_size is invalid. May be NULL. */
  void (*close)(void *context);
} lidia_reader;

/** Opens the file at path. options may be NULL. Free the archive with
    lidia_archive_close. */
LIDIA_API lidia_status lidia_archive_open(const char *path,
                                          const lidia_open_options *options,
                                          lidia_archive **archive,
                                          lidia_error **error);
/** Opens the archive in the size bytes at data, which must stay valid until the
    archive is closed. name is for messages. */
LIDIA_API lidia_status
lidia_archive_open_memory(const void *data, size_t size, const char *name,
                          const lidia_open_options *options,
                          lidia_archive **archive, lidia_error **error);
/** Opens an archive and reads the parts that are needed with reader, which is
    copied. name is for messages. */
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
/** Since version 5: it was made with LIDIA_MODULES_NAMES_ONLY, and has neither
    lines nor inlined calls. No flag of lidia_convert_options. */
#define LIDIA_HAS_NAMES_ONLY 32u

typedef struct lidia_archive_info {
  size_t struct_size;
  uint32_t flags;
  /** e_machine of the binary (such as EM_X86_64), or 0 if it is not known. */
  uint32_t machine;
  /** Bytes in the archive, unpacked. */
  uint64_t size;
  uint64_t range_count;
  uint64_t row_count;
  uint64_t return_pad_count;
  /** The build ID of the binary, or NULL. Owned by the archive. */
  const uint8_t *build_id;
  size_t build_id_size;
} lidia_archive_info;

/** Fills info, whose struct_size must be set. */
LIDIA_API lidia_status lidia_archive_get_info(const lidia_archive *archive,
                                              lidia_archive_info *info,
                                              lidia_error **error);
/** Reads the whole archive, and verifies its structure and, if it has any, its
    checksums. */
LIDIA_API lidia_status lidia_archive_verify(const lidia_archive *archive,
                                            lidia_error **error);
/** Calls visit with each return address after a call instruction, ascending.
 */
LIDIA_API void lidia_archive_for_each_return_pad(
    const lidia_archive *archive,
    void (*visit)(void *context, uint64_t address), void *context);

/** Since version 5: a function of an archive. Strings and entries are valid
    during the call of visit. */
typedef struct lidia_function {
  size_t struct_size;
  /** The linkage name. */
  const char *name;
  size_t name_length;
  /** The file of its code; empty if that is not known. */
  const char *file;
  size_t file_length;
  /** Where it is entered: several addresses if several functions have the
      name, and none if it is only inlined. */
  const uint64_t *entries;
  size_t entry_count;
  /** The number of pieces of code of calls inlined from it. */
  uint64_t inlined_count;
} lidia_function;

/** Since version 5: calls visit with each function of the archive, in order of
    address or, if name is not NULL, with those that have the name: the linkage
    name, or the readable one with or without scopes and parameters. Stops if
    visit returns a value other than 0. Reads all of the archive. */
LIDIA_API lidia_status lidia_archive_find_functions(
    const lidia_archive *archive, const char *name,
    int (*visit)(void *context, const lidia_function *function), void *context,
    lidia_error **error);

/** Since version 5: the bytes of a plain archive, as lidia_archive_open_memory
    takes them; valid until the archive is closed. Fails with LIDIA_UNSUPPORTED
    for compressed archives and those with LIDIA_HAS_NAMES_ONLY. */
LIDIA_API lidia_status lidia_archive_get_bytes(const lidia_archive *archive,
                                               const void **data, size_t *size,
                                               lidia_error **error);

/*===----------------------------------------------------------------------===*\
|* Looking up
\*===----------------------------------------------------------------------===*/

/** Looks up addresses in one archive and keeps the last answers. Use one object
    per thread; several can share an archive. */
typedef struct lidia_lookup lidia_lookup;

/** lidia_lookup_options.flags: demangle names (otherwise they are linkage
    names); omit scopes and parameters; treat addresses as return addresses and
    look up the call before each. */
#define LIDIA_LOOKUP_DEMANGLE 1u
#define LIDIA_LOOKUP_SHORT_NAMES 2u
#define LIDIA_LOOKUP_RETURN_ADDRESSES 4u
/** Since version 5: addresses are offsets in the binary's file. Those that no
    segment of code has get no frames. */
#define LIDIA_LOOKUP_FILE_OFFSETS 8u

typedef struct lidia_lookup_options {
  size_t struct_size;
  uint32_t flags;
  /** Threads for calls with many addresses; 0 means one. */
  uint32_t threads;
} lidia_lookup_options;

/** One function of an answer. The strings are valid until the lookup, or the
    answer of a process, is freed. Unknown values are empty strings or 0. */
typedef struct lidia_frame {
  size_t struct_size;
  const char *function;
  size_t function_length;
  const char *file;
  size_t file_length;
  uint32_t line;
  uint32_t column;
  /** Whether the function was inlined into the next frame. */
  uint32_t is_inlined;
  /** Since version 4: the piece of code of the function, or of the inlined
      call, that has the address: where it begins in the module's address space,
      its size in bytes or 0 if that is not known, and how far the address is
      after its beginning. */
  uint64_t start;
  uint64_t size;
  uint64_t offset;
} lidia_frame;

/** options may be NULL. The archive must not be closed before the lookup is
    freed. Free the lookup with lidia_lookup_free. */
LIDIA_API lidia_status lidia_lookup_create(const lidia_archive *archive,
                                           const lidia_lookup_options *options,
                                           lidia_lookup **lookup,
                                           lidia_error **error);
LIDIA_API void lidia_lookup_free(lidia_lookup *lookup);
/** Looks up count addresses of the archive's address space, in any order. The
    answers replace those of the previous call. An error says that the archive
    is damaged; the answers are then still set, but may be incomplete. */
LIDIA_API lidia_status lidia_lookup_addresses(lidia_lookup *lookup,
                                              const uint64_t *addresses,
                                              size_t count,
                                              lidia_error **error);
/** The number of frames of the address at index; 0 if nothing is known. */
LIDIA_API size_t lidia_lookup_frame_count(const lidia_lookup *lookup,
                                          size_t index);
/** Fills frame, whose struct_size must be set, with a frame of the address at
    index; number 0 is the innermost. */
LIDIA_API lidia_status lidia_lookup_get_frame(lidia_lookup *lookup,
                                              size_t index, size_t number,
                                              lidia_frame *frame,
                                              lidia_error **error);

/*===----------------------------------------------------------------------===*\
|* Converting
\*===----------------------------------------------------------------------===*/

/** lidia_convert_options.flags: what the archive has (the LIDIA_HAS_ flags),
    compress it, do not look for a separate debug file, and keep no files, lines
    and checksums.

    Without LIDIA_HAS_CHECKSUMS, _FILES, _LINES and _COLUMNS, the archive has
    checksums, files and lines, like that of `llvm-lidia BINARY`; with one of
    them, only those that are given. LIDIA_HAS_RETURN_PADS needs a helper. */
#define LIDIA_CONVERT_COMPRESS 256u
#define LIDIA_CONVERT_NO_DEBUG_FILE 512u
#define LIDIA_CONVERT_SYMBOLS_ONLY 1024u

/** Receives a message about a part of the input that was left out. Must not
   call functions of this library. */
typedef void (*lidia_warning)(void *context, const char *message);

typedef struct lidia_convert_options {
  size_t struct_size;
  uint32_t flags;
  /** The number of threads; 0 means as many as the machine has. */
  uint32_t threads;
  /** The file with the debug information, or NULL. */
  const char *debug_file;
  /** The architecture to read from a universal Mach-O file ("arm64"), or
      NULL. */
  const char *architecture;
  /** The path of the program llvm-lidia, to convert in a separate process,
      which may run out of memory; NULL to convert in this process. Warnings are
      passed on after the process has ended. The caller must not ignore SIGCHLD,
      nor wait for processes that it did not start. */
  const char *helper;
  /** May be NULL. Called by one thread at a time. */
  lidia_warning warning;
  void *context;
  /** Since version 5: if not NULL, called by one thread at a time with how much
      of a phase is done. If it returns a value other than 0, the conversion
      ends soon, with LIDIA_SYSTEM and ECANCELED, and writes nothing. Not called
      if there is a helper. */
  int (*progress)(void *context, const char *phase, uint64_t done,
                  uint64_t total);
} lidia_convert_options;

/** Writes the archive of the file binary to the file output, which is created
    only when it is complete. options may be NULL. */
LIDIA_API lidia_status lidia_convert(const char *binary, const char *output,
                                     const lidia_convert_options *options,
                                     lidia_error **error);
/** Since version 5: makes the archive of the binary in the size bytes at data
    or, if data is NULL, of the file name, in memory. name is for messages, and
    where debug files are looked for. There can be no helper, and no
    LIDIA_CONVERT_COMPRESS. Free the archive with lidia_archive_close. */
LIDIA_API lidia_status
lidia_convert_memory(const char *name, const void *data, size_t size,
                     const lidia_convert_options *options,
                     lidia_archive **archive, lidia_error **error);

/*===----------------------------------------------------------------------===*\
|* Many modules, and processes
\*===----------------------------------------------------------------------===*/

/** Finds the archives of modules, or makes them in a cache. Any number of
    threads can share it. */
typedef struct lidia_modules lidia_modules;

/** lidia_modules_options.flags: do not make archives that are missing. */
#define LIDIA_MODULES_NO_CONVERSION 1u
/** Columns are wanted: ignore an archive beside a file (a.out.lidia) that has
    no columns, if the cache has an archive or can make it. */
#define LIDIA_MODULES_COLUMNS 2u
/** Since version 4: if the store does not answer, use what else there is.
    Otherwise calls fail that need the store: with LIDIA_SYSTEM, after half a
    minute in which it is asked again. The next call asks it once more. */
#define LIDIA_MODULES_STORE_OPTIONAL 4u
/** Since version 5: for a file without an archive, make none, but read names
    from its symbol tables, or those of its debug file, at once: no lines and no
    inlined calls. Archives that exist are used as they are. The file stays
    mapped, and must not be truncated. Answers without lines have the code
    LIDIA_MISS_NAMES_ONLY, and archives LIDIA_HAS_NAMES_ONLY. */
#define LIDIA_MODULES_NAMES_ONLY 8u
/** Since version 5: with LIDIA_MODULES_NAMES_ONLY, make the archive in the
    background, in a thread that lidia_modules_free ends. Later answers of
    processes and results of lidia_modules_get then have lines. */
#define LIDIA_MODULES_LINES_LATER 16u

typedef struct lidia_modules_options {
  size_t struct_size;
  uint32_t flags;
  /** The number of modules that are kept open; 0 means 128. */
  uint32_t max_modules;
  /** The cache folder; NULL means that of llvm-lidia. */
  const char *cache_folder;
  /** Folders that contain .build-id, in addition to those of the system. */
  const char *const *debug_folders;
  size_t debug_folder_count;
  /** May be NULL. Called by one thread at a time. */
  lidia_warning warning;
  void *context;
  /** Since version 3: a store from which archives of modules with a build ID
      are taken before any is made. A folder, "s3://bucket/prefix", or the URL
      of a server; NULL for none. URLs need libcurl.so.4, which is then
      loaded. */
  const char *store;
  /** Since version 5: the path of the program llvm-lidia, to make archives in
      separate processes, like lidia_convert_options.helper; NULL to make them
      in this process. The cache must be usable. */
  const char *helper;
} lidia_modules_options;

/** options may be NULL. Fails if the store is missing, empty or cannot be
    accessed. Free the modules with lidia_modules_free, after all of their
    processes. */
LIDIA_API lidia_status
lidia_modules_create(const lidia_modules_options *options,
                     lidia_modules **modules, lidia_error **error);
LIDIA_API void lidia_modules_free(lidia_modules *modules);
/** Opens the archive of the file at path, of a build ID or, if both are given,
    of a file that must have this build ID; path or build_id may be NULL. The
    archive stays open until lidia_archive_close, even if modules is freed. */
LIDIA_API lidia_status lidia_modules_get(
    lidia_modules *modules, const char *path, const uint8_t *build_id,
    size_t build_id_size, lidia_archive **archive, lidia_error **error);

/** The mappings of a process, and the answers to its addresses. Any number of
    threads can share it. */
typedef struct lidia_process lidia_process;

/** Since version 5: lidia_process_options.flags: also answer addresses of the
    kernel that is running, by /proc/kallsyms. */
#define LIDIA_PROCESS_KERNEL 256u

typedef struct lidia_process_options {
  size_t struct_size;
  /** LIDIA_LOOKUP_DEMANGLE, LIDIA_LOOKUP_SHORT_NAMES, LIDIA_PROCESS_KERNEL. */
  uint32_t flags;
  /** Since version 5: with LIDIA_PROCESS_KERNEL, the kernel's vmlinux or its
      debug file, for lines; or NULL. */
  const char *vmlinux;
} lidia_process_options;

/** Opens the live process pid, and reads its mappings. options may be NULL.
    Free the process with lidia_process_free. */
LIDIA_API lidia_status lidia_process_open(lidia_modules *modules, uint64_t pid,
                                          const lidia_process_options *options,
                                          lidia_process **process,
                                          lidia_error **error);
/** Opens a process whose /proc/PID/maps was saved as size bytes of text. Its
    files are opened in the folder root, or not at all if that is NULL. */
LIDIA_API lidia_status
lidia_process_open_maps(lidia_modules *modules, const char *maps, size_t size,
                        const char *root, const lidia_process_options *options,
                        lidia_process **process, lidia_error **error);
LIDIA_API void lidia_process_free(lidia_process *process);

typedef enum lidia_address_kind {
  /** Nothing is mapped at the address. */
  LIDIA_ADDRESS_UNMAPPED = 0,
  /** Memory without a file. */
  LIDIA_ADDRESS_ANONYMOUS = 1,
  LIDIA_ADDRESS_MODULE = 2,
  /** Code in a map of just-in-time compiled code. */
  LIDIA_ADDRESS_JIT = 3,
  LIDIA_ADDRESS_KERNEL = 4
} lidia_address_kind;

/** Why an address has no name or no line (docs/Misses.md). */
typedef enum lidia_miss {
  /** There is a name and a line. */
  LIDIA_MISS_NONE = 0,
  LIDIA_MISS_NO_FILE = 1,
  LIDIA_MISS_NO_PERMISSION = 2,
  LIDIA_MISS_OTHER_BUILD = 3,
  LIDIA_MISS_NO_SYMBOLS = 4,
  LIDIA_MISS_NO_LINES = 5,
  LIDIA_MISS_NO_MAP = 6,
  LIDIA_MISS_DAMAGED = 7,
  LIDIA_MISS_LIMIT = 8,
  LIDIA_MISS_NETWORK_NOT_ASKED = 9,
  LIDIA_MISS_UNSUPPORTED = 10,
  LIDIA_MISS_NOT_MAPPED = 11,
  LIDIA_MISS_NO_MEMORY = 12,
  LIDIA_MISS_OTHER = 13,
  /** A store did not answer. */
  LIDIA_MISS_NO_ANSWER = 14,
  /** Only names were looked for (LIDIA_MODULES_NAMES_ONLY). */
  LIDIA_MISS_NAMES_ONLY = 15
} lidia_miss;

/** The name of a lidia_miss in JSON, such as "no_file"; empty for
    LIDIA_MISS_NONE and unknown numbers. */
LIDIA_API const char *lidia_miss_name(uint32_t miss);

/** Since version 5: opens the modules of count runtime addresses, threads of
    them at once (0 means as many as the machine has processors), so that their
    first answers do not wait for each other. */
LIDIA_API lidia_status lidia_process_prepare(lidia_process *process,
                                             const uint64_t *addresses,
                                             size_t count, uint32_t threads,
                                             lidia_error **error);

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
  /** A lidia_miss. */
  uint32_t miss;
} lidia_answer_info;

/** Looks up a runtime address or, with is_return_address, the call before it.
    Free the answer with lidia_answer_free. */
LIDIA_API lidia_status lidia_process_answer(lidia_process *process,
                                            uint64_t address,
                                            int is_return_address,
                                            lidia_answer **answer,
                                            lidia_error **error);
LIDIA_API void lidia_answer_free(lidia_answer *answer);
/** Fills info, whose struct_size must be set. The answer owns the strings. */
LIDIA_API lidia_status lidia_answer_get_info(const lidia_answer *answer,
                                             lidia_answer_info *info,
                                             lidia_error **error);
/** Fills frame, whose struct_size must be set; number 0 is the innermost. */
LIDIA_API lidia_status lidia_answer_get_frame(const lidia_answer *answer,
                                              size_t number, lidia_frame *frame,
                                              lidia_error **error);

/** lidia_location.flags: whether file_offset and address are set. */
#define LIDIA_LOCATION_HAS_OFFSET 1u
#define LIDIA_LOCATION_HAS_ADDRESS 2u

/** Since version 4: a runtime address in terms that hold on other machines. The
    process owns the strings and bytes. */
typedef struct lidia_location {
  size_t struct_size;
  /** A lidia_address_kind: unmapped, anonymous or a module. */
  uint32_t kind;
  uint32_t flags;
  /** The offset of the address in the module's file. */
  uint64_t file_offset;
  /** The address in the module's own address space, which archives have. */
  uint64_t address;
  /** The path as mapped, "[vdso]", ...; empty if nothing is mapped. */
  const char *path;
  size_t path_length;
  /** The build ID of the module, or NULL. */
  const uint8_t *build_id;
  size_t build_id_size;
} lidia_location;

/** Finds the module of a runtime address without reading any symbols, to
    symbolize the address later. Fills location, whose struct_size must be
    set. */
LIDIA_API lidia_status lidia_process_locate(lidia_process *process,
                                            uint64_t address,
                                            lidia_location *location,
                                            lidia_error **error);

/** Since version 4: stores the build ID of the file at path, an ELF, Mach-O, PE
    or WebAssembly file, in the capacity bytes at build_id, and its size in
    size: 0 if the file has none. Fails with LIDIA_ARGUMENT if it does not
    fit. */
LIDIA_API lidia_status lidia_file_build_id(const char *path, uint8_t *build_id,
                                           size_t capacity, size_t *size,
                                           lidia_error **error);

/** lidia_unwind_options.flags: if no other method finds the caller, use words
    on the stack that look like return addresses. */
#define LIDIA_UNWIND_SCAN 1u

/** The state of a thread: its registers, and how to read its memory. */
typedef struct lidia_unwind_options {
  size_t struct_size;
  /** LIDIA_UNWIND_SCAN. */
  uint32_t flags;
  /** An e_machine of ELF; 0 means the machine of the library. */
  uint32_t machine;
  uint64_t pc;
  /** register_count registers, by DWARF's numbers for the machine. Only
      registers whose bit in known_registers is set are used. The stack pointer
      is required. */
  const uint64_t *registers;
  size_t register_count;
  uint64_t known_registers;
  /** Stores up to size bytes at address in to, and returns their number. If
      NULL, the process is read, if it is alive. */
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
#define LIDIA_FRAME_IS_TAIL_CALL 4u

/** A frame without the calls inlined into it, which lidia_process_answer
    returns. */
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

/** Unwinds a stack with the archives of the modules. Stores up to capacity
    frames, innermost first, their number in count, and a lidia_stack_end in
    end, which may be NULL. Threads that share a process wait for each other. */
LIDIA_API lidia_status lidia_process_unwind(lidia_process *process,
                                            const lidia_unwind_options *options,
                                            lidia_stack_frame *frames,
                                            size_t capacity, size_t *count,
                                            uint32_t *end, lidia_error **error);

/*===----------------------------------------------------------------------===*\
|* Profiles
\*===----------------------------------------------------------------------===*/

/** lidia_profile_options.flags, in addition to LIDIA_LOOKUP_DEMANGLE and
    LIDIA_LOOKUP_SHORT_NAMES: also symbolize locations that have lines. */
#define LIDIA_PROFILE_FORCE 256u

typedef struct lidia_profile_options {
  size_t struct_size;
  uint32_t flags;
  /** The format of the input, by its name in llvm-lidia profile --input-format=
      ("pprof", "otlp", "otlp-json", "perf", "perf-script"); NULL: by its
      contents. */
  const char *input_format;
  /** The format of the output, by its name in --format= ("folded",
      "html", ...); NULL: that of the input. */
  const char *output_format;
  /** Binaries, which are used for modules of their names; folders with binaries
      anywhere in them; and the folder in which the paths in the profile are
      opened ("/" for this system), or NULL. No other file that the profile
      names is opened. */
  const char *const *binaries;
  size_t binary_count;
  const char *const *folders;
  size_t folder_count;
  const char *root;
} lidia_profile_options;

/** Writes the profile in the file input, with functions, files and lines, to
    the file output, which is created only when it is complete. Archives are
    found and made with modules, whose warning function receives the modules
    without an archive. options may be NULL. */
LIDIA_API lidia_status lidia_profile_symbolize(
    lidia_modules *modules, const char *input, const char *output,
    const lidia_profile_options *options, lidia_error **error);

#ifdef __cplusplus
}
#endif

#endif /* LIDIA_C_LIDIA_H */
