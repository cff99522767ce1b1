/* Lets one system call fail, or waits in it, for files whose path has FAULT_PATH
 * in it. To be preloaded:
 *
 *   FAULT_CALL=write FAULT_ERRNO=28 FAULT_PATH=.tmp-   fails with ENOSPC
 *   FAULT_CALL=write FAULT_WAIT=started FAULT_PATH=... creates the file
 *       "started", and goes on when somebody has removed it
 *
 * Calls: open (of a file that must be new), fchmod, write, fdatasync, close and
 * rename. A close that fails has closed the file and cut it to 100 bytes, as a
 * network file system may that finds out late that its disk is full. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(Name) ((__typeof__(&Name))dlsym(RTLD_NEXT, #Name))

static int isMeant(const char *Call, const char *Path) {
  const char *FaultCall = getenv("FAULT_CALL"), *Part = getenv("FAULT_PATH");
  return FaultCall && Part && !strcmp(FaultCall, Call) && strstr(Path, Part);
}

/* Whether Call is to fail, with errno set. */
static int fails(const char *Call, const char *Path) {
  if (!isMeant(Call, Path))
    return 0;
  const char *Started = getenv("FAULT_WAIT");
  if (Started) {
    unsetenv("FAULT_CALL");
    REAL(close)(REAL(open)(Started, O_CREAT | O_WRONLY, 0600));
    while (!access(Started, F_OK))
      usleep(10000);
    return 0;
  }
  errno = atoi(getenv("FAULT_ERRNO"));
  return 1;
}

static int failsFor(const char *Call, int FD) {
  char Link[64], Path[4096];
  snprintf(Link, sizeof(Link), "/proc/self/fd/%d", FD);
  ssize_t Size = readlink(Link, Path, sizeof(Path) - 1);
  if (Size < 0)
    return 0;
  Path[Size] = 0;
  return fails(Call, Path);
}

int open(const char *Path, int Flags, ...) {
  va_list Arguments;
  va_start(Arguments, Flags);
  mode_t Mode = Flags & O_CREAT ? va_arg(Arguments, mode_t) : 0;
  va_end(Arguments);
  if ((Flags & O_EXCL) && fails("open", Path))
    return -1;
  return REAL(open)(Path, Flags, Mode);
}

int fchmod(int FD, mode_t Mode) {
  return failsFor("fchmod", FD) ? -1 : REAL(fchmod)(FD, Mode);
}

ssize_t write(int FD, const void *Bytes, size_t Size) {
  return failsFor("write", FD) ? -1 : REAL(write)(FD, Bytes, Size);
}

int fdatasync(int FD) {
  return failsFor("fdatasync", FD) ? -1 : REAL(fdatasync)(FD);
}

int close(int FD) {
  if (!failsFor("close", FD))
    return REAL(close)(FD);
  int Errno = errno;
  if (ftruncate(FD, 100))
    abort();
  REAL(close)(FD);
  errno = Errno;
  return -1;
}

int rename(const char *From, const char *To) {
  return fails("rename", From) ? -1 : REAL(rename)(From, To);
}
