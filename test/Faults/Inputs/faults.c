/* An LD_PRELOAD library that makes a program's system calls and allocations
 * fail, one at a time, and that runs the program many times without starting it
 * anew (a fork server, as AFL's). Written for glibc on Linux.
 *
 * The program is started once, with FAULTS_CONTROL=<in>,<out> naming two file
 * descriptors. Before its main function runs, this library waits for orders on
 * <in>, three 32-bit numbers each:
 *
 *     kind   which fault, of enum Kind
 *     nth    the first call to fail, counted from 1; 0: none
 *     error  the errno of the failing call
 *
 * and for each forks a child, which runs main. When it has ended, four numbers
 * are written to <out>: its wait status, how many system calls and allocations
 * it made, and how many allocations before it last created a file.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum Kind {
  NoFault,
  OneCall,       /* the nth system call fails */
  FullDisk,      /* the nth and all that follow, of those that take space */
  ShortTransfer, /* the nth transfers half of what it was asked to */
  OneAllocation,
  AllAllocations,
};

static struct {
  int32_t Kind, Nth, Error;
} Order;
static struct Counts {
  int32_t Calls, Allocations, BeforeFile;
} *Counts;
/* Nothing fails before main. */
static int Armed;

/* Longer than any run takes, even on a busy machine: it ends what hangs. */
enum { SecondsPerRun = 100 };

static void serve(int In, int Out) {
  Counts = mmap(NULL, sizeof *Counts, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  while (read(In, &Order, sizeof Order) == sizeof Order) {
    *Counts = (struct Counts){0};
    pid_t Child = fork();
    if (Child == 0) {
      close(In);
      close(Out);
      alarm(SecondsPerRun);
      Armed = 1;
      return;
    }
    int32_t Answer[4] = {0};
    waitpid(Child, &Answer[0], 0);
    Answer[1] = Counts->Calls;
    Answer[2] = Counts->Allocations;
    Answer[3] = Counts->BeforeFile;
    if (write(Out, Answer, sizeof Answer) != sizeof Answer)
      break;
  }
  _exit(0);
}

__attribute__((constructor)) static void start(void) {
  int In, Out;
  const char *Control = getenv("FAULTS_CONTROL");
  if (!Control || sscanf(Control, "%d,%d", &In, &Out) != 2)
    return;
  /* Not for programs that this one starts. */
  unsetenv("LD_PRELOAD");
  unsetenv("FAULTS_CONTROL");
  serve(In, Out);
}

static int isDue(int32_t Count, int One, int All) {
  return Order.Nth != 0 && ((Order.Kind == One && Count == Order.Nth) ||
                            (Order.Kind == All && Count >= Order.Nth));
}

/* Whether the system call that is about to be made is to fail. */
static int failsCallThat(int TakesSpace) {
  if (!Armed)
    return 0;
  int32_t Count = __atomic_add_fetch(&Counts->Calls, 1, __ATOMIC_RELAXED);
  if (!isDue(Count, OneCall, TakesSpace ? FullDisk : NoFault))
    return 0;
  errno = Order.Error;
  return 1;
}
static int failsCall(void) { return failsCallThat(0); }
static int failsForSpace(void) { return failsCallThat(1); }

/* How much of Size bytes a read or write is to transfer; -1: it fails. What
 * goes to standard error always gets there, or there would be no message to
 * look for.
 */
static ssize_t transferred(int FD, size_t Size, int Writes) {
  if (FD == STDERR_FILENO)
    return (ssize_t)Size;
  if (failsCallThat(Writes))
    return -1;
  if (Armed && Order.Kind == ShortTransfer && Counts->Calls == Order.Nth &&
      Size > 1)
    return (ssize_t)(Size / 2);
  return (ssize_t)Size;
}

static int failsAllocation(void) {
  if (!Armed)
    return 0;
  int32_t Count = __atomic_add_fetch(&Counts->Allocations, 1, __ATOMIC_RELAXED);
  if (!isDue(Count, OneAllocation, AllAllocations))
    return 0;
  errno = ENOMEM;
  return 1;
}

#define REAL(Name)                                                             \
  static __typeof__(&Name) Real;                                               \
  if (!Real)                                                                   \
  Real = (__typeof__(&Name))dlsym(RTLD_NEXT, #Name)

#define CALL(Result, Name, Parameters, Arguments, Failure)                     \
  Result Name Parameters {                                                     \
    REAL(Name);                                                                \
    return failsCall() ? (Failure) : Real Arguments;                           \
  }
#define SPACE(Result, Name, Parameters, Arguments, Failure)                    \
  Result Name Parameters {                                                     \
    REAL(Name);                                                                \
    return failsForSpace() ? (Failure) : Real Arguments;                       \
  }

/* Opening. */
static int failsOpen(int Flags) {
  if (Armed && Flags & O_CREAT)
    Counts->BeforeFile = Counts->Allocations;
  return failsCallThat(Flags & O_CREAT);
}
static mode_t modeOf(int Flags, va_list List) {
  return Flags & (O_CREAT | O_TMPFILE) ? va_arg(List, mode_t) : 0;
}
#define OPEN(Name)                                                             \
  int Name(const char *Path, int Flags, ...) {                                 \
    REAL(Name);                                                                \
    va_list List;                                                              \
    va_start(List, Flags);                                                     \
    mode_t Mode = modeOf(Flags, List);                                         \
    va_end(List);                                                              \
    return failsOpen(Flags) ? -1 : Real(Path, Flags, Mode);                    \
  }
OPEN(open)
OPEN(open64)
#define OPENAT(Name)                                                           \
  int Name(int Folder, const char *Path, int Flags, ...) {                     \
    REAL(Name);                                                                \
    va_list List;                                                              \
    va_start(List, Flags);                                                     \
    mode_t Mode = modeOf(Flags, List);                                         \
    va_end(List);                                                              \
    return failsOpen(Flags) ? -1 : Real(Folder, Path, Flags, Mode);            \
  }
OPENAT(openat)
OPENAT(openat64)
CALL(DIR *, opendir, (const char *Path), (Path), NULL)
CALL(struct dirent *, readdir, (DIR * D), (D), NULL)
CALL(struct dirent64 *, readdir64, (DIR * D), (D), NULL)
CALL(int, pipe, (int FDs[2]), (FDs), -1)
CALL(int, pipe2, (int FDs[2], int Flags), (FDs, Flags), -1)
CALL(int, dup, (int FD), (FD), -1)
SPACE(int, memfd_create, (const char *Name, unsigned Flags), (Name, Flags), -1)

/* The file is closed, as on Linux, when close reports an error. */
int close(int FD) {
  REAL(close);
  int Fails = failsCall(), Error = errno, Result = Real(FD);
  if (!Fails)
    return Result;
  errno = Error;
  return -1;
}

/* Reading and writing. */
ssize_t read(int FD, void *Buffer, size_t Size) {
  REAL(read);
  ssize_t Some = transferred(FD, Size, 0);
  return Some < 0 ? -1 : Real(FD, Buffer, (size_t)Some);
}
ssize_t write(int FD, const void *Buffer, size_t Size) {
  REAL(write);
  ssize_t Some = transferred(FD, Size, 1);
  return Some < 0 ? -1 : Real(FD, Buffer, (size_t)Some);
}
#define AT(Name, Pointer, Offset, Writes)                                      \
  ssize_t Name(int FD, Pointer Buffer, size_t Size, Offset Place) {            \
    REAL(Name);                                                                \
    ssize_t Some = transferred(FD, Size, Writes);                              \
    return Some < 0 ? -1 : Real(FD, Buffer, (size_t)Some, Place);              \
  }
AT(pread, void *, off_t, 0)
AT(pread64, void *, off64_t, 0)
AT(pwrite, const void *, off_t, 1)
AT(pwrite64, const void *, off64_t, 1)
SPACE(ssize_t, writev, (int FD, const struct iovec *V, int N), (FD, V, N), -1)
SPACE(ssize_t, copy_file_range,
      (int From, off64_t *A, int To, off64_t *B, size_t Size, unsigned Flags),
      (From, A, To, B, Size, Flags), -1)
CALL(off_t, lseek, (int FD, off_t To, int From), (FD, To, From), -1)
CALL(off64_t, lseek64, (int FD, off64_t To, int From), (FD, To, From), -1)
SPACE(int, ftruncate, (int FD, off_t Size), (FD, Size), -1)
SPACE(int, ftruncate64, (int FD, off64_t Size), (FD, Size), -1)
SPACE(int, posix_fallocate, (int FD, off_t From, off_t Size), (FD, From, Size),
      Order.Error)
SPACE(int, posix_fallocate64, (int FD, off64_t From, off64_t Size),
      (FD, From, Size), Order.Error)
SPACE(int, fallocate, (int FD, int Mode, off_t From, off_t Size),
      (FD, Mode, From, Size), -1)
SPACE(int, fallocate64, (int FD, int Mode, off64_t From, off64_t Size),
      (FD, Mode, From, Size), -1)
/* These succeed without waiting for the disk, which takes a busy one seconds
 * each time. Nothing that is checked depends on it. */
#define SYNC(Name)                                                             \
  int Name(int FD) {                                                           \
    (void)FD;                                                                  \
    return failsForSpace() ? -1 : 0;                                           \
  }
SYNC(fsync)
SYNC(fdatasync)

/* What a file is. */
CALL(int, stat, (const char *Path, struct stat *S), (Path, S), -1)
CALL(int, stat64, (const char *Path, struct stat64 *S), (Path, S), -1)
CALL(int, lstat, (const char *Path, struct stat *S), (Path, S), -1)
CALL(int, lstat64, (const char *Path, struct stat64 *S), (Path, S), -1)
CALL(int, fstat, (int FD, struct stat *S), (FD, S), -1)
CALL(int, fstat64, (int FD, struct stat64 *S), (FD, S), -1)
CALL(int, fstatat, (int FD, const char *Path, struct stat *S, int Flags),
     (FD, Path, S, Flags), -1)
CALL(int, fstatat64, (int FD, const char *Path, struct stat64 *S, int Flags),
     (FD, Path, S, Flags), -1)
CALL(int, statvfs, (const char *Path, struct statvfs *S), (Path, S), -1)
CALL(int, statvfs64, (const char *Path, struct statvfs64 *S), (Path, S), -1)
CALL(int, access, (const char *Path, int Mode), (Path, Mode), -1)
CALL(int, faccessat, (int FD, const char *Path, int Mode, int Flags),
     (FD, Path, Mode, Flags), -1)
CALL(ssize_t, readlink, (const char *Path, char *To, size_t Size),
     (Path, To, Size), -1)
CALL(char *, getcwd, (char *To, size_t Size), (To, Size), NULL)
CALL(int, chmod, (const char *Path, mode_t Mode), (Path, Mode), -1)
CALL(int, fchmod, (int FD, mode_t Mode), (FD, Mode), -1)
CALL(int, fchown, (int FD, uid_t User, gid_t Group), (FD, User, Group), -1)
CALL(int, futimens, (int FD, const struct timespec Times[2]), (FD, Times), -1)
CALL(int, utimensat,
     (int FD, const char *Path, const struct timespec Times[2], int Flags),
     (FD, Path, Times, Flags), -1)

/* Names. */
SPACE(int, rename, (const char *From, const char *To), (From, To), -1)
SPACE(int, renameat, (int A, const char *From, int B, const char *To),
      (A, From, B, To), -1)
SPACE(int, link, (const char *From, const char *To), (From, To), -1)
SPACE(int, linkat, (int A, const char *From, int B, const char *To, int Flags),
      (A, From, B, To, Flags), -1)
SPACE(int, symlink, (const char *To, const char *Path), (To, Path), -1)
CALL(int, unlink, (const char *Path), (Path), -1)
CALL(int, unlinkat, (int FD, const char *Path, int Flags), (FD, Path, Flags),
     -1)
CALL(int, remove, (const char *Path), (Path), -1)
SPACE(int, mkdir, (const char *Path, mode_t Mode), (Path, Mode), -1)
CALL(int, rmdir, (const char *Path), (Path), -1)

/* Memory. Anonymous mappings are allocations, those of files are input. */
static int failsMapping(int Flags) {
  return Flags & MAP_ANONYMOUS ? failsAllocation() : failsCall();
}
#define MAP(Name, Offset)                                                      \
  void *Name(void *At, size_t Size, int Protection, int Flags, int FD,         \
             Offset Place) {                                                   \
    REAL(Name);                                                                \
    return failsMapping(Flags) ? MAP_FAILED                                    \
                               : Real(At, Size, Protection, Flags, FD, Place); \
  }
MAP(mmap, off_t)
MAP(mmap64, off64_t)

/* glibc's own names: dlsym allocates. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t Size) {
  return failsAllocation() ? NULL : __libc_malloc(Size);
}
void *calloc(size_t Count, size_t Size) {
  return failsAllocation() ? NULL : __libc_calloc(Count, Size);
}
void *realloc(void *Old, size_t Size) {
  return failsAllocation() ? NULL : __libc_realloc(Old, Size);
}
void *memalign(size_t Alignment, size_t Size) {
  return failsAllocation() ? NULL : __libc_memalign(Alignment, Size);
}
void *aligned_alloc(size_t Alignment, size_t Size) {
  return failsAllocation() ? NULL : __libc_memalign(Alignment, Size);
}
int posix_memalign(void **Result, size_t Alignment, size_t Size) {
  *Result = failsAllocation() ? NULL : __libc_memalign(Alignment, Size);
  return *Result ? 0 : ENOMEM;
}
int pthread_create(pthread_t *Thread, const pthread_attr_t *Attributes,
                   void *(*Run)(void *), void *Argument) {
  REAL(pthread_create);
  return failsAllocation() ? EAGAIN : Real(Thread, Attributes, Run, Argument);
}
