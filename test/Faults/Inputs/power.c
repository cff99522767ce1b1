/* An LD_PRELOAD library that writes down what a disk would know after a power
 * failure. Written for glibc on Linux.
 *
 * It watches the files and folders below POWER_ROOT and appends one line for
 * each change to the file POWER_LOG:
 *
 *     create INODE PATH   write INODE   sync INODE SIZE   syncfolder PATH
 *     rename OLD NEW      link OLD NEW  unlink PATH       mkdir PATH
 *
 * The fields are separated by tabs. Each created file gets a second name in the
 * folder POWER_KEEP, its inode's number, so that its content can still be read
 * when the program has removed it. With POWER_FORGET=1 nothing is a sync.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(Name) ((__typeof__(&Name))dlsym(RTLD_NEXT, #Name))

/* One write to a file that is open for appending is not mixed with others. */
__attribute__((format(printf, 1, 2))) static void note(const char *Format,
                                                       ...) {
  char Line[3 * PATH_MAX];
  va_list Arguments;
  va_start(Arguments, Format);
  int Size = vsnprintf(Line, sizeof Line, Format, Arguments);
  va_end(Arguments);
  int Log = REAL(open)(getenv("POWER_LOG"),
                       O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (Log < 0 || Size < 0 || (size_t)Size >= sizeof Line ||
      REAL(write)(Log, Line, Size) != Size)
    abort();
  REAL(close)(Log);
}

/* Whether Path is below POWER_ROOT. Absolute receives the path. */
static int watched(const char *Path, char *Absolute) {
  const char *Root = getenv("POWER_ROOT");
  char Folder[PATH_MAX];
  if (!Root || !Path)
    return 0;
  if (Path[0] == '/')
    snprintf(Absolute, PATH_MAX, "%s", Path);
  else if (!getcwd(Folder, sizeof Folder) ||
           snprintf(Absolute, PATH_MAX, "%s/%s", Folder, Path) >= PATH_MAX)
    return 0;
  size_t Size = strlen(Root);
  return strncmp(Absolute, Root, Size) == 0 &&
         (Absolute[Size] == '/' || Absolute[Size] == 0);
}

static int watchedDescriptor(int FD, char *Absolute, struct stat *Status) {
  char Link[64], Target[PATH_MAX];
  int Error = errno;
  snprintf(Link, sizeof Link, "/proc/self/fd/%d", FD);
  ssize_t Size =
      getenv("POWER_ROOT") ? readlink(Link, Target, PATH_MAX - 1) : -1;
  int Is = 0;
  if (Size > 0) {
    Target[Size] = 0;
    Is = watched(Target, Absolute) && fstat(FD, Status) == 0;
  }
  errno = Error;
  return Is;
}

static int opened(int FD, int Flags) {
  char Path[PATH_MAX], Link[64], Keep[PATH_MAX];
  struct stat Status;
  int Error = errno;
  if (FD >= 0 && (Flags & (O_CREAT | O_TRUNC)) &&
      watchedDescriptor(FD, Path, &Status) && S_ISREG(Status.st_mode)) {
    snprintf(Link, sizeof Link, "/proc/self/fd/%d", FD);
    snprintf(Keep, sizeof Keep, "%s/%lu", getenv("POWER_KEEP"),
             (unsigned long)Status.st_ino);
    if (REAL(linkat)(AT_FDCWD, Link, AT_FDCWD, Keep, AT_SYMLINK_FOLLOW) == 0)
      note("create\t%lu\t%s\n", (unsigned long)Status.st_ino, Path);
    else
      note("write\t%lu\n", (unsigned long)Status.st_ino);
  }
  errno = Error;
  return FD;
}

#define OPEN(Name)                                                             \
  int Name(const char *Path, int Flags, ...) {                                 \
    va_list Arguments;                                                         \
    va_start(Arguments, Flags);                                                \
    mode_t Mode =                                                              \
        Flags & (O_CREAT | O_TMPFILE) ? va_arg(Arguments, mode_t) : 0;         \
    va_end(Arguments);                                                         \
    return opened(REAL(Name)(Path, Flags, Mode), Flags);                       \
  }
#define OPENAT(Name)                                                           \
  int Name(int Folder, const char *Path, int Flags, ...) {                     \
    va_list Arguments;                                                         \
    va_start(Arguments, Flags);                                                \
    mode_t Mode =                                                              \
        Flags & (O_CREAT | O_TMPFILE) ? va_arg(Arguments, mode_t) : 0;         \
    va_end(Arguments);                                                         \
    return opened(REAL(Name)(Folder, Path, Flags, Mode), Flags);               \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* A write is noted before it happens: a sync at the same time may miss it. */
static void writing(int FD) {
  char Path[PATH_MAX];
  struct stat Status;
  if (watchedDescriptor(FD, Path, &Status))
    note("write\t%lu\n", (unsigned long)Status.st_ino);
}

ssize_t write(int FD, const void *From, size_t Size) {
  writing(FD);
  return REAL(write)(FD, From, Size);
}
ssize_t writev(int FD, const struct iovec *From, int Count) {
  writing(FD);
  return REAL(writev)(FD, From, Count);
}
ssize_t pwrite(int FD, const void *From, size_t Size, off_t At) {
  writing(FD);
  return REAL(pwrite)(FD, From, Size, At);
}
ssize_t pwrite64(int FD, const void *From, size_t Size, off64_t At) {
  writing(FD);
  return REAL(pwrite64)(FD, From, Size, At);
}
int ftruncate(int FD, off_t Size) {
  writing(FD);
  return REAL(ftruncate)(FD, Size);
}
int ftruncate64(int FD, off64_t Size) {
  writing(FD);
  return REAL(ftruncate64)(FD, Size);
}

static int synced(int FD, int Result) {
  char Path[PATH_MAX];
  struct stat Status;
  if (Result != 0 || getenv("POWER_FORGET") ||
      !watchedDescriptor(FD, Path, &Status))
    return Result;
  if (S_ISDIR(Status.st_mode))
    note("syncfolder\t%s\n", Path);
  else
    note("sync\t%lu\t%lu\n", (unsigned long)Status.st_ino,
         (unsigned long)Status.st_size);
  return Result;
}

int fsync(int FD) { return synced(FD, REAL(fsync)(FD)); }
int fdatasync(int FD) { return synced(FD, REAL(fdatasync)(FD)); }

/* Notes a change of names that succeeded. */
static int named(const char *What, int Result, const char *From,
                 const char *To) {
  char Old[PATH_MAX], New[PATH_MAX];
  int Error = errno;
  if (Result == 0 && watched(From, Old)) {
    if (!To)
      note("%s\t%s\n", What, Old);
    else if (watched(To, New))
      note("%s\t%s\t%s\n", What, Old, New);
  }
  errno = Error;
  return Result;
}

int rename(const char *From, const char *To) {
  return named("rename", REAL(rename)(From, To), From, To);
}
int renameat2(int FromFolder, const char *From, int ToFolder, const char *To,
              unsigned Flags) {
  return named("rename", REAL(renameat2)(FromFolder, From, ToFolder, To, Flags),
               From, To);
}
int link(const char *From, const char *To) {
  return named("link", REAL(link)(From, To), From, To);
}
int unlink(const char *Path) {
  return named("unlink", REAL(unlink)(Path), Path, NULL);
}
int remove(const char *Path) {
  return named("unlink", REAL(remove)(Path), Path, NULL);
}
int rmdir(const char *Path) {
  return named("unlink", REAL(rmdir)(Path), Path, NULL);
}
int mkdir(const char *Path, mode_t Mode) {
  return named("mkdir", REAL(mkdir)(Path, Mode), Path, NULL);
}
