//===- ProcessBinding.cpp - lidia.Process ---------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include <cstring>
#include <mutex>
#include <nanobind/stl/string.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>

using namespace lidia::python;

namespace {

/// lidia.Process.
struct OpenProcess {
  ProcessHandle::Pointer Handle;
  /// None for saved mappings.
  std::optional<uint64_t> PID;
};

/// Detects what ends a call: an exception in a signal handler or in a callback.
/// Python runs signal handlers only in its main thread, so the calling thread
/// checks for them. Other threads, which make archives for the call, only read
/// the result.
class CallWatch {
public:
  Interest interest() {
    return [this] {
      if (std::this_thread::get_id() == Caller && !HasRaised && !Signals())
        HasRaised = true;
      return !HasRaised;
    };
  }

  /// Calls Python's \p ReadMemory.
  size_t read(nb::handle ReadMemory, uint64_t Address, char *To, size_t Size) {
    nb::gil_scoped_acquire Lock;
    try {
      nb::object Read = ReadMemory(Address, Size);
      return Read.is_none() ? 0 : copy(Read, To, Size);
    } catch (nb::python_error &E) {
      Error.emplace(std::move(E));
    } catch (std::exception &E) {
      Other = E.what();
    }
    HasRaised = true;
    return 0;
  }

  /// Raises the exception that ended the call, if there is one.
  void rethrow() {
    if (Error)
      throw nb::python_error(std::move(*Error));
    if (!Other.empty())
      throw nb::type_error(Other.c_str());
    if (HasRaised)
      throw nb::python_error();
  }

private:
  static size_t copy(const nb::object &From, char *To, size_t Size) {
    Py_buffer View;
    if (PyObject_GetBuffer(From.ptr(), &View, PyBUF_SIMPLE))
      throw nb::python_error();
    size_t Count = std::min(Size, size_t(View.len));
    std::memcpy(To, View.buf, Count);
    PyBuffer_Release(&View);
    return Count;
  }

  const std::thread::id Caller = std::this_thread::get_id();
  SignalWatch Watch;
  const Interest Signals = Watch.interest();
  std::atomic<bool> HasRaised = false;
  /// Set while the interpreter's lock is held.
  std::optional<nb::python_error> Error;
  std::string Other;
};

/// withoutLock() for a function that takes an Interest and may call Python.
template <typename F> auto watched(CallWatch &Watch, F Function) {
  auto Done = [&] {
    nb::gil_scoped_release Released;
    lidia::InterruptScope Scope(Watch.interest());
    return Function(Watch.interest());
  }();
  Watch.rethrow();
  if (const auto *Failed = std::get_if<Failure>(&Done))
    raise(*Failed);
  return std::move(std::get<0>(Done));
}

} // namespace

static std::string textOrEmpty(nb::handle Path) {
  if (Path.is_none())
    return "";
  nb::bytes Encoded =
      nb::cast<nb::bytes>(nb::module_::import_("os").attr("fsencode")(Path));
  return std::string(Encoded.c_str(), Encoded.size());
}

static void openProcess(OpenProcess *Self, nb::object PID, nb::object Maps,
                        nb::object Root, nb::object Store, nb::object Cache,
                        bool Demangle, std::string OnStoreError, bool NamesOnly,
                        bool LinesLater, bool Kernel, nb::object VMLinux) {
  if (PID.is_none() == Maps.is_none())
    throw nb::value_error("expected either pid or maps");
  ProcessOptions Options;
  if (PID.is_none())
    Options.Maps = nb::cast<std::string>(Maps);
  else
    Options.PID = addressOf(PID);
  Options.Root = textOrEmpty(Root);
  Options.Store = textOrEmpty(Store);
  Options.CacheFolder = textOrEmpty(Cache);
  Options.Demangle = Demangle;
  Options.NeedsStore = raisesOutages(OnStoreError);
  if (LinesLater && !NamesOnly)
    throw nb::value_error("lines_later needs names_only");
  if (!Kernel && !VMLinux.is_none())
    throw nb::value_error("vmlinux needs kernel");
  Options.NamesOnly = NamesOnly;
  Options.LinesLater = LinesLater;
  Options.Kernel = Kernel;
  Options.VMLinux = textOrEmpty(VMLinux);
  std::optional<uint64_t> PIDGiven = Options.PID;
  ProcessHandle::Pointer Handle =
      withoutLock([&] { return ProcessHandle::open(std::move(Options)); });
  new (Self) OpenProcess{std::move(Handle), PIDGiven};
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

static nb::object orNone(const std::optional<uint64_t> &Number) {
  return Number ? nb::object(nb::cast(*Number)) : nb::none();
}

static nb::object orNone(const std::string &Text) {
  return Text.empty() ? nb::none() : nb::object(nb::cast(Text));
}

static nb::object frameObject(const StackFrame &F) {
  const lidia::ProcessAnswer &A = *F.Answer;
  std::optional<uint64_t> Own;
  if (A.HasAddress)
    Own = A.Address + F.IsReturn;
  return nb::module_::import_("lidia._records")
      .attr("StackFrame")(F.Address, orNone(F.Trust), frameList(A.Frames),
                          A.Module, orNone(Own), orNone(A.Reason.Text), F.SP,
                          F.IsReturn, F.IsSignal, F.IsTailCall,
                          orNone(lidia::toString(A.miss())));
}

static nb::object orNone(const std::optional<std::string> &Text) {
  return Text ? nb::object(nb::cast(*Text)) : nb::none();
}

static nb::object locate(const OpenProcess &P, nb::handle Given) {
  ProcessHandle::Pointer Handle = P.Handle;
  uint64_t Address = addressOf(Given);
  LocationText L = withoutLock([&] { return Handle->locate(Address); });
  return nb::module_::import_("lidia._records")
      .attr("Location")(orNone(L.Path), orNone(L.BuildID), orNone(L.FileOffset),
                        orNone(L.Address));
}

static nb::object buildID(nb::handle Path) {
  std::string Name = textOrEmpty(Path);
  return orNone(withoutLock([&] { return buildIDOfFile(Name); }));
}

static nb::object lookup(const OpenProcess &P, nb::handle Given,
                         bool IsReturn) {
  ProcessHandle::Pointer Handle = P.Handle;
  uint64_t Address = addressOf(Given);
  CallWatch Watch;
  return frameObject(watched(Watch, [&](const Interest &GoOn) {
    return Handle->answer(Address, IsReturn, GoOn);
  }));
}

/// A register's name or number, and its value.
static std::pair<RegisterKey, uint64_t> registerOf(nb::handle Key,
                                                   nb::handle Value) {
  if (nb::isinstance<nb::str>(Key))
    return {nb::cast<std::string>(Key), addressOf(Value)};
  uint64_t Number = addressOf(Key);
  return {unsigned(std::min<uint64_t>(Number, UINT32_MAX)), addressOf(Value)};
}

static void prepare(const OpenProcess &P, nb::handle Given, unsigned Threads) {
  ProcessHandle::Pointer Handle = P.Handle;
  std::vector<uint64_t> Addresses = addressesOf(Given);
  CallWatch Watch;
  watched(Watch, [&](const Interest &GoOn) {
    return Handle->prepare(Addresses, Threads, GoOn);
  });
}

static nb::object stackObject(const StackText &Stack) {
  nb::list Frames;
  for (const StackFrame &F : Stack.Frames)
    Frames.append(frameObject(F));
  return nb::module_::import_("lidia._records")
      .attr("Stack")(Frames, Stack.End, orNone(Stack.EndAddress));
}

/// The registers of the caller, in which the unwinder's own frames are not yet.
#if defined(__x86_64__)
static void addRegisters(const ucontext_t &Of, UnwindRequest &To) {
  const greg_t *R = Of.uc_mcontext.gregs;
  To.Registers = {{"pc", uint64_t(R[REG_RIP])},  {"sp", uint64_t(R[REG_RSP])},
                  {"rbp", uint64_t(R[REG_RBP])}, {"rbx", uint64_t(R[REG_RBX])},
                  {"r12", uint64_t(R[REG_R12])}, {"r13", uint64_t(R[REG_R13])},
                  {"r14", uint64_t(R[REG_R14])}, {"r15", uint64_t(R[REG_R15])}};
}
#elif defined(__aarch64__)
static void addRegisters(const ucontext_t &Of, UnwindRequest &To) {
  To.Registers = {{"pc", Of.uc_mcontext.pc}, {"sp", Of.uc_mcontext.sp}};
  for (unsigned I = 19; I != 31; ++I)
    To.Registers.push_back({I, Of.uc_mcontext.regs[I]});
}
#else
static void addRegisters(const ucontext_t &, UnwindRequest &) {
  throw nb::value_error("current_stack() does not know this machine");
}
#endif

static nb::object currentStack(const OpenProcess &P, size_t MaxFrames) {
  if (P.PID != uint64_t(::getpid()))
    throw nb::value_error("current_stack() needs Process(os.getpid())");
  UnwindRequest Request;
  Request.MaxFrames = std::max<size_t>(MaxFrames, 1);
  ucontext_t Here;
  ::getcontext(&Here);
  addRegisters(Here, Request);
  ProcessHandle::Pointer Handle = P.Handle;
  CallWatch Watch;
  return stackObject(watched(Watch, [&](const Interest &GoOn) {
    return Handle->unwind(Request, GoOn);
  }));
}

static nb::object unwind(const OpenProcess &P, nb::object Registers,
                         nb::object ReadMemory, size_t MaxFrames, bool Scan,
                         uint64_t CodeMask, nb::object Machine) {
  UnwindRequest Request;
  for (nb::handle Item : Registers.attr("items")())
    Request.Registers.push_back(registerOf(Item[0], Item[1]));
  if (MaxFrames == 0)
    throw nb::value_error("max_frames must be at least 1");
  Request.MaxFrames = MaxFrames;
  Request.Scan = Scan;
  Request.CodeMask = CodeMask;
  if (!Machine.is_none())
    Request.Machine = nb::cast<std::string>(Machine);
  CallWatch Watch;
  if (!ReadMemory.is_none())
    Request.Read = [&](uint64_t Address, char *To, size_t Size) {
      return Watch.read(ReadMemory, Address, To, Size);
    };
  ProcessHandle::Pointer Handle = P.Handle;
  return stackObject(watched(Watch, [&](const Interest &GoOn) {
    return Handle->unwind(Request, GoOn);
  }));
}

void lidia::python::bindProcess(nb::module_ &M) {
  M.def(
      "build_id", buildID, nb::arg("path"),
      nb::sig("def build_id(path: str | os.PathLike[str]) -> str | None"),
      "The build ID of a binary, in hexadecimal digits; None if it has none.");
  nb::class_<OpenProcess>(
      M, "Process",
      "The mappings of a process and the archives of its modules, for a\n"
      "profiler. The process is the live process pid, or a saved\n"
      "/proc/PID/maps, whose files are opened below the folder root (\"/\"\n"
      "for the files of this system), or not at all without root. Archives\n"
      "come from the store, if one is given, or from the cache, where they\n"
      "are made when they are first needed. If the store does not answer,\n"
      "calls raise OSError, unless on_store_error is \"null\". The mappings "
      "are read at once.\n"
      "Threads can share a process.\n"
      "With names_only, modules without an archive get names from their\n"
      "symbol tables at once, and no lines; with lines_later, too, archives\n"
      "are made in the background, and later answers have lines. With\n"
      "kernel, addresses of the kernel are answered by /proc/kallsyms, and\n"
      "by the image vmlinux, if it is given.")
      .def("__init__", openProcess, nb::arg("pid") = nb::none(), nb::kw_only(),
           nb::arg("maps") = nb::none(), nb::arg("root") = nb::none(),
           nb::arg("store") = nb::none(), nb::arg("cache") = nb::none(),
           nb::arg("demangle") = true, nb::arg("on_store_error") = "raise",
           nb::arg("names_only") = false, nb::arg("lines_later") = false,
           nb::arg("kernel") = false, nb::arg("vmlinux") = nb::none(),
           nb::sig("def __init__(self, pid: int | None = None, *, maps: str | "
                   "None = None, root: str | os.PathLike[str] | None = None, "
                   "store: str | os.PathLike[str] | None = None, cache: str | "
                   "os.PathLike[str] | None = None, demangle: bool = True, "
                   "on_store_error: typing.Literal['raise', 'null'] = 'raise', "
                   "names_only: bool = False, lines_later: bool = False, "
                   "kernel: bool = False, vmlinux: str | os.PathLike[str] | "
                   "None = None) -> None"))
      .def("lookup", lookup, nb::arg("address").none(), nb::kw_only(),
           nb::arg("is_return") = false,
           nb::sig("def lookup(self, address: int, *, is_return: bool = False) "
                   "-> lidia._records.StackFrame"),
           "The functions at a runtime address, and its module. With\n"
           "is_return, the address is a return address, and the result is\n"
           "that of the call before it.")
      .def("prepare", prepare, nb::arg("addresses").none(), nb::kw_only(),
           nb::arg("threads") = 0u,
           nb::sig("def prepare(self, addresses: "
                   "collections.abc.Iterable[int], *, threads: int = 0) -> "
                   "None"),
           "Opens the modules of runtime addresses side by side, so that\n"
           "their first answers do not wait for each other.")
      .def("current_stack", currentStack, nb::kw_only(),
           nb::arg("max_frames") = size_t(1024),
           nb::sig("def current_stack(self, *, max_frames: int = 1024) -> "
                   "lidia._records.Stack"),
           "The stack of the calling thread, of the interpreter and of\n"
           "extensions. The process must be the calling one.")
      .def("locate", locate, nb::arg("address").none(),
           nb::sig("def locate(self, address: int) -> lidia._records.Location"),
           "The module of a runtime address, and the address in it, without\n"
           "reading any symbols: to symbolize it later, elsewhere.")
      .def("unwind", unwind, nb::arg("registers"),
           nb::arg("read_memory") = nb::none(), nb::kw_only(),
           nb::arg("max_frames") = size_t(1024), nb::arg("scan") = false,
           nb::arg("code_mask") = uint64_t(0), nb::arg("machine") = nb::none(),
           nb::sig("def unwind(self, registers: collections.abc.Mapping[str | "
                   "int, int], read_memory: collections.abc.Callable[[int, "
                   "int], bytes | None] | None = None, *, max_frames: int = "
                   "1024, scan: bool = False, code_mask: int = 0, machine: str "
                   "| None = None) -> lidia._records.Stack"),
           "The stack of a thread with these registers, which are given by\n"
           "name (\"rip\", \"rsp\"; \"pc\", \"sp\" and \"fp\" on all machines) "
           "or\n"
           "DWARF number. read_memory(address, size) returns the memory at\n"
           "an address, or a part of it, or None; without it, the memory of\n"
           "the live process is read. An exception from read_memory ends the\n"
           "call. If all else fails, scan allows a search on the stack.\n"
           "code_mask has the bits of a return address that are not part of\n"
           "the address. machine is a name as from platform.machine(); by\n"
           "default it is the process's machine, or else this one.");
}
