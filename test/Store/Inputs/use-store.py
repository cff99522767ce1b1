#!/usr/bin/env python3
"""Uses all functions of a store, in a folder or in a bucket.

    use-store.py STORE INPUTS

INPUTS has the test binaries."""

import os
import re
import subprocess
import sys
import threading

INLINE = "166acf827f01aa2a2feae66d3efb2f57ab5355d1"
DEBUG_ID = "82CF6A16017F2AAA2FEAE66D3EFB2F570"  # of INLINE
COLD = "3c2ae8a573b59c81c5db4eecb58f96e804515aa8"
CLANG = "0af28f8f5e9a99f9668a5500ae6d99b1ca1bdbde"


def run(*words, text="", status=0, command="store"):
    done = subprocess.run(["llvm-lidia", command, *words], input=text.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, errors = done.stdout, done.stderr.decode()
    assert done.returncode == status, (words, done.returncode, out, errors)
    return out, errors


def symbolize(store, *words, text=""):
    return run(f"--store={store}", "--no-cache", *words, text=text, command="symbolize")


def listed(store):
    out, _ = run("list", store)
    return re.findall(r"^([0-9a-f]{40}) +\d+$", out.decode(), re.MULTILINE)


def main(store, inputs):
    inline, cold, clang = (os.path.join(inputs, name + ".elf") for name in (
        "inline-gcc-O2-dwarf5", "cold-gcc-dwarf5", "inline-clang-O0"))
    if "://" in store:
        assert listed(store) == []
    else:
        assert "no such folder" in run("list", store, status=1)[1]

    # Two processes may add the same archive at once.
    adders = [threading.Thread(target=run, args=("add", store, inline, cold))
              for _ in range(2)]
    for adder in adders:
        adder.start()
    for adder in adders:
        adder.join()
    assert listed(store) == [INLINE, COLD]
    run("verify", store)

    subprocess.run(["llvm-lidia", "--crc", "--columns", "--compress", inline, "-o",
                    "expected.zst"], check=True)
    with open("expected.zst", "rb") as file:
        expected = file.read()
    assert run("get", store, INLINE)[0] == expected
    assert run("get", store, DEBUG_ID)[0] == expected

    out, _ = symbolize(store, "-p", f"--build-id={INLINE}", "0x400170")
    assert out.startswith(b"one at /src/inline.c:23:32\n"), out
    # Many lines for several modules.
    text = "".join(f"BUILDID:{INLINE} 0x400170\nBUILDID:{COLD} {0x400159 + i}\n"
                   for i in range(300))
    out, _ = symbolize(store, "-p", text=text)
    assert out.count(b"one at /src/inline.c:23:32\n") == 300
    assert out.count(b"split at /src/cold.c:") > 60, out
    _, errors = symbolize(store, f"--build-id={CLANG}", "0")
    assert f"'{CLANG}': no archive of this build ID in {store}" in errors, errors

    # An object with a wrong name affects only itself.
    subprocess.run(["llvm-lidia", "create", "--crc", "--columns", "--compress", cold,
                    "-o", "cold.zst"], check=True)
    os.makedirs(f"{folder_of(store)}/.build-id/0a", exist_ok=True)
    with open("cold.zst", "rb") as lie, open(
            f"{folder_of(store)}/.build-id/0a/{CLANG[2:]}.lidia.zst", "wb") as file:
        file.write(lie.read())
    _, errors = run("verify", store, status=1)
    assert f"the archive has the build ID {COLD}, which does not match its name" in errors, errors
    assert "1 of 3 archives failed" in errors, errors
    for _, errors in (symbolize(store, f"--build-id={CLANG}", "0"),
                      run("get", store, CLANG, status=1)):
        assert "the archive has the build ID" in errors, errors
    run("verify", store, INLINE, COLD)
    run("add", store, clang, "--force")
    run("verify", store)

    # Removing old archives, or those beyond a size.
    for words in ([], ["--older-than=x"], ["--max-size=1", "more"]):
        run("prune", store, *words, status=1)
    assert b"Removed 0 archives, 0 bytes" in run("prune", store, "--older-than=30d")[0]
    out, _ = run("prune", store, "--max-size=2000", "--dry-run")
    assert re.search(rb"^Would remove [12] archives", out, re.MULTILINE), out
    assert len(listed(store)) == 3
    run("prune", store, "--max-size=2000")
    assert len(listed(store)) in (1, 2)
    run("prune", store, "--max-size=0")
    assert listed(store) == []


def folder_of(store):
    return os.environ.get("FOLDER", store)


if __name__ == "__main__":
    main(*sys.argv[1:])
