"""The files that a power failure leaves, at each point of a program's run.

    power.py whole|durable --library power.so --root ROOT --work WORK
        [--forget] -- COMMAND...

Runs COMMAND, which writes to the folder ROOT, with power.c. A file's data are on
the disk if they were synced. A name may be there as soon as it is given (a), and is
there once its folder was synced (b). Checks

- whole: with (a), after each change, each file without a temporary name has all of
  its data;
- durable: the same; and with (b), after the end, all files are there, with their
  data.

--forget: nothing is a sync, so that a check that can fail must fail. In COMMAND,
"{log}" is the path of the log, for programs that do not end by themselves. Prints the
figures. Exit status 1 means that a check failed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

# Of UnfinishedFile, as stores and caches name it.
TEMPORARY = re.compile(r"(lidia\.tmp-|llvmcache-lidia-tmp)[^/]*$|\.tmp$")


class Disk:
    """What the disk has, after the events up to now."""

    def __init__(self, keep, root):
        self.keep = keep
        # path: inode, or None for a folder. What was there before is on the disk, and
        # of that only folders matter.
        self.names = {os.path.join(folder, name): None
                      for folder, names, _ in os.walk(root) for name in names}
        self.durable = dict(self.names)  # the same, with the folders that were synced
        self.synced = {}     # inode: size at the last sync
        self.dirty = set()   # inodes that were written since

    def apply(self, event, *fields):
        if event == "create":
            self.names[fields[1]] = fields[0]
            self.dirty.add(fields[0])
        elif event == "write":
            self.dirty.add(fields[0])
        elif event == "sync":
            self.synced[fields[0]] = int(fields[1])
            self.dirty.discard(fields[0])
        elif event == "mkdir":
            self.names[fields[0]] = None
        elif event == "unlink":
            self.names.pop(fields[0], None)
        elif event == "link":
            self.names[fields[1]] = self.names[fields[0]]
        elif event == "rename":
            self.names[fields[1]] = self.names.pop(fields[0])
        elif event == "syncfolder":
            def inside(path):
                return os.path.dirname(path) == fields[0]
            self.durable = {path: inode for path, inode in self.durable.items()
                            if not inside(path)}
            self.durable.update((path, inode) for path, inode in self.names.items()
                                if inside(path))
        else:
            raise ValueError("unknown event " + event)

    def is_whole(self, inode):
        size = os.path.getsize(os.path.join(self.keep, inode))
        if inode in self.dirty:
            # An empty file has no data to lose.
            return size == 0
        return self.synced[inode] == size

    def torn(self):
        """The files that have lost data."""
        return [path for path, inode in self.names.items()
                if inode and not TEMPORARY.search(path) and not self.is_whole(inode)]

    def lost(self, root):
        """The files whose names are not on the disk."""
        def is_there(path):
            return path == root or (path in self.durable and
                                    is_there(os.path.dirname(path)))
        return [path for path, inode in self.names.items() if inode and not is_there(path)]


def main():
    options, command = sys.argv[1:], []
    if "--" in options:
        command = options[options.index("--") + 1:]
        options = options[:options.index("--")]
    parser = argparse.ArgumentParser()
    parser.add_argument("check", choices=("whole", "durable"))
    for name in ("library", "root", "work"):
        parser.add_argument("--" + name, required=True, type=os.path.abspath)
    parser.add_argument("--forget", action="store_true")
    arguments = parser.parse_args(options)

    shutil.rmtree(arguments.work, ignore_errors=True)
    keep = os.path.join(arguments.work, "keep")
    log = os.path.join(arguments.work, "log")
    os.makedirs(keep)
    os.makedirs(arguments.root, exist_ok=True)
    # In LD_PRELOAD, a space ends a path.
    library = os.path.join(os.environ.get("TMPDIR", "/tmp"), "power-%d.so" % os.getpid())
    os.symlink(arguments.library, library)
    disk = Disk(keep, arguments.root)
    environment = dict(os.environ, POWER_ROOT=arguments.root, POWER_KEEP=keep,
                       POWER_LOG=log, POWER_LIBRARY=library)
    if arguments.forget:
        environment["POWER_FORGET"] = "1"
    try:
        subprocess.run(["env", "LD_PRELOAD=" + library] + command, env=environment,
                       check=True)
    finally:
        os.unlink(library)

    events = [line.rstrip("\n").split("\t") for line in open(log)]
    failures = []
    for number, event in enumerate(events):
        disk.apply(*event)
        failures += ["after event %d, %s: without its data: %s" % (number, event[0], path)
                     for path in disk.torn()]
    if arguments.check == "durable":
        failures += ["in the end, not there: " + path for path in disk.lost(arguments.root)]
    for failure in failures[:5]:
        print(failure)
    files = sum(1 for inode in disk.names.values() if inode)
    print("%d changes, %d files, %d failures" % (len(events), files, len(failures)))
    return 1 if failures or not files else 0


sys.exit(main())
