"""Prints the frames of an address: lookup ARCHIVE ADDRESS."""
import sys

import lidia

try:
    with lidia.Archive(sys.argv[1]) as archive:
        for frame in archive.lookup(int(sys.argv[2], 0)):
            print(f"{frame.function} at {frame.file}:{frame.line}")
except (OSError, lidia.Error) as error:
    sys.exit(str(error))
