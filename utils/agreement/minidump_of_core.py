"""Makes a minidump of a core of Linux on x86-64, with what Breakpad and Crashpad write:
registers, each thread's stack above the stack pointer, the bytes around the program
counter, modules with their build IDs, and maps."""

import importlib.util
import os
import struct

# More than writers usually keep of a stack.
MOST_STACK = 1 << 20
# Mappings further away from the first one are not part of the module.
MOST_IMAGE = 1 << 31
# The registers of NT_PRSTATUS, and where a context of a minidump has them.
PRSTATUS = ("r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp "
            "ss fs_base gs_base ds es fs gs").split()
CONTEXT = ("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15 rip").split()


def load_writer():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../test/Minidump/Inputs/make-minidump.py")
    spec = importlib.util.spec_from_file_location("make_minidump", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Core:
    """The segments, threads and files of a core."""

    def __init__(self, path):
        self.file = open(path, "rb")
        header = self.file.read(64)
        offset, count = struct.unpack_from("<Q", header, 32)[0], struct.unpack_from("<H", header, 56)[0]
        self.segments, self.threads, self.files, self.signal = [], [], [], 0
        for i in range(count):
            self.file.seek(offset + 56 * i)
            kind, flags, begin, address, _, size, memory = struct.unpack_from("<IIQQQQQ", self.file.read(56))
            if kind == 1:
                self.segments.append((address, begin, size, memory, flags))
            elif kind == 4:
                self.read_notes(begin, size)

    def read_notes(self, begin, size):
        self.file.seek(begin)
        data, at = self.file.read(size), 0
        while at + 12 <= size:
            name_size, text_size, kind = struct.unpack_from("<III", data, at)
            at += 12 + (name_size + 3) // 4 * 4
            note = data[at:at + text_size]
            at += (text_size + 3) // 4 * 4
            if kind == 1:
                self.signal = self.signal or struct.unpack_from("<H", note, 12)[0]
                registers = dict(zip(PRSTATUS, struct.unpack_from("<27Q", note, 112)))
                self.threads.append((struct.unpack_from("<I", note, 32)[0], registers))
            elif kind == 0x46494C45:
                files, page = struct.unpack_from("<QQ", note)
                names = note[16 + 24 * files:].split(b"\0")
                for i in range(files):
                    first, last, place = struct.unpack_from("<QQQ", note, 16 + 24 * i)
                    self.files.append((first, last, place * page, names[i].decode()))

    def read(self, address, size):
        for begin, offset, length, _, _ in self.segments:
            if begin <= address < begin + length:
                self.file.seek(offset + address - begin)
                return self.file.read(min(size, begin + length - address))
        return b""


def build_id(path):
    """The build ID of the file; empty without one, and None if it is not an ELF file."""
    try:
        with open(path, "rb") as file:
            data = file.read(1 << 16)
    except OSError:
        return None
    if data[:4] != b"\x7fELF":
        return None
    at = data.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0")
    return data[at + 16:at + 36] if at >= 0 else b""


def context(registers):
    data = bytearray(1232)
    struct.pack_into("<I", data, 0x30, 0x10000F)
    for i, name in enumerate(CONTEXT):
        struct.pack_into("<Q", data, 0x78 + 8 * i, registers[name])
    return bytes(data)


def write_minidump(core_path, path):
    writer, core = load_writer(), Core(core_path)
    dump = writer.Dump()
    dump.stream(7, writer.system_info(dump, "x86-64", "linux"))
    threads, memory = [], []
    for tid, registers in core.threads:
        begin = registers["rsp"] - 128
        stack = dump.located(core.read(begin, MOST_STACK))
        memory.append(struct.pack("<Q", begin) + stack)
        code = core.read(registers["rip"] - 128, 256)
        if code:
            memory.append(struct.pack("<Q", registers["rip"] - 128) + dump.located(code))
        threads.append(writer.thread(tid, begin, stack, dump.located(context(registers))))
    dump.stream(3, writer.listed(threads))
    dump.stream(5, writer.listed(memory))
    tid, registers = core.threads[0]
    dump.stream(6, writer.exception(dump, tid, core.signal, 0, registers["rip"], (), context(registers)))
    modules, maps = {}, []
    # A core of gdb lacks the segments of code that is in a file.
    files = {first: (last, "r-x", place, name) for first, last, place, name in core.files}
    for begin, _, _, size, flags in core.segments:
        place, name = files.get(begin, (0, "", 0, ""))[2:]
        access = "".join(letter if flags & bit else "-" for letter, bit in (("r", 4), ("w", 2), ("x", 1)))
        files[begin] = (begin + size, access, place, name)
    for begin, (end, access, place, name) in sorted(files.items()):
        maps.append(f"{begin:x}-{end:x} {access}p {place:08x} 00:00 {int(bool(name))} {name}\n")
    for first, last, place, name in core.files:
        if place == 0 and name not in modules and build_id(name) is not None:
            modules[name] = [first, last]
        elif name in modules and first < modules[name][0] + MOST_IMAGE:
            modules[name][1] = last
    dump.stream(4, writer.listed([
        writer.module(dump, first, last - first, name, writer.elf_record(build_id(name)) if build_id(name) else b"")
        for name, (first, last) in modules.items()]))
    dump.stream(0x47670009, "".join(maps).encode())
    with open(path, "wb") as file:
        file.write(dump.finish())
