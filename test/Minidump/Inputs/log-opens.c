// For LD_PRELOAD: appends to the file $OPENS the path of each file and folder
// that the program opens by path.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*OpenFunction)(const char *, int, ...);
typedef DIR *(*OpenFolderFunction)(const char *);

static void logPath(const char *Path) {
  const char *Log = getenv("OPENS");
  OpenFunction Real = (OpenFunction)dlsym(RTLD_NEXT, "open64");
  if (!Log)
    return;
  int File = Real(Log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  dprintf(File, "%s\n", Path);
  close(File);
}

int open64(const char *Path, int Flags, ...) {
  va_list Arguments;
  va_start(Arguments, Flags);
  mode_t Mode = va_arg(Arguments, mode_t);
  va_end(Arguments);
  logPath(Path);
  return ((OpenFunction)dlsym(RTLD_NEXT, "open64"))(Path, Flags, Mode);
}

int open(const char *Path, int Flags, ...)
    __attribute__((alias("open64"), copy(open64)));

DIR *opendir(const char *Path) {
  logPath(Path);
  return ((OpenFolderFunction)dlsym(RTLD_NEXT, "opendir"))(Path);
}
