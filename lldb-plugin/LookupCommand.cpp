//===- LookupCommand.cpp - lidia lookup -----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LidiaCommand.h"
#include "ModuleMatch.h"
#include "lidia/Cache/StableArchive.h"
#include "lidia/Symbolize/Symbolizer.h"
#include "lldb/API/SBFileSpec.h"
#include "lldb/API/SBFrame.h"
#include "lldb/API/SBProcess.h"
#include "lldb/API/SBSection.h"
#include "lldb/API/SBThread.h"
#include "lldb/API/SBValue.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace llvm;

namespace lidia {

namespace {
using Addresses = std::vector<lldb::SBAddress>;

/// Resolves an argument to addresses.
class AddressResolver {
public:
  explicit AddressResolver(lldb::SBTarget Target) : Target(Target) {}

  /// There may be several addresses: for a name shared by several functions,
  /// and, without a process, when modules share file addresses.
  Expected<Addresses> resolve(StringRef Text) {
    uint64_t Number;
    if (!Text.getAsInteger(0, Number))
      return resolveNumber(Text, Number);
    if (std::optional<uint64_t> Value = evaluate(Text))
      return resolveNumber(Text, *Value);
    Addresses Found = resolveName(Text);
    if (Found.empty())
      return createStringError(
          "'" + Text +
          "' is neither an address, nor an expression "
          "that gives one, nor a function" +
          (EvaluationError.empty() ? "" : " (" + EvaluationError + ")"));
    return Found;
  }

private:
  Expected<Addresses> resolveNumber(StringRef Text, uint64_t Number) {
    Addresses Found;
    lldb::SBAddress Loaded = Target.ResolveLoadAddress(Number);
    if (Loaded.GetModule().IsValid())
      Found.push_back(Loaded);
    else if (!hasProcess())
      for (uint32_t I = 0, E = Target.GetNumModules(); I != E; ++I) {
        lldb::SBAddress A =
            Target.GetModuleAtIndex(I).ResolveFileAddress(Number);
        if (A.GetSection().IsValid())
          Found.push_back(A);
      }
    if (Found.empty())
      return createStringError(Text + " is not in a module of the target");
    return Found;
  }

  bool hasProcess() {
    lldb::SBProcess Process = Target.GetProcess();
    return Process.IsValid() && Process.GetState() != lldb::eStateExited &&
           Process.GetState() != lldb::eStateDetached &&
           Process.GetState() != lldb::eStateUnloaded;
  }

  /// Evaluates \p Text in the selected frame, so that registers have values.
  /// None without a process.
  std::optional<uint64_t> evaluate(StringRef Text) {
    EvaluationError.clear();
    if (!hasProcess())
      return std::nullopt;
    lldb::SBFrame Frame =
        Target.GetProcess().GetSelectedThread().GetSelectedFrame();
    std::string Expression = Text.str();
    lldb::SBValue Value = Frame.IsValid()
                              ? Frame.EvaluateExpression(Expression.c_str())
                              : Target.EvaluateExpression(Expression.c_str());
    lldb::SBError E = Value.GetError();
    uint64_t Number = E.Fail() ? 0 : Value.GetValueAsUnsigned(E);
    if (E.Success())
      return Number;
    EvaluationError = StringRef(E.GetCString()).split('\n').first.str();
    return std::nullopt;
  }

  /// A function's name, with an offset in bytes: `main+4`.
  Addresses resolveName(StringRef Text) {
    size_t Sign = Text.find_last_of("+-");
    int64_t Offset = 0;
    if (Sign != StringRef::npos && Sign != 0 &&
        !Text.substr(Sign + 1).trim().getAsInteger(0, Offset)) {
      if (Text[Sign] == '-')
        Offset = -Offset;
      Text = Text.take_front(Sign).rtrim();
    }
    Addresses Found;
    lldb::SBSymbolContextList List = Target.FindFunctions(Text.str().c_str());
    for (uint32_t I = 0, E = List.GetSize(); I != E; ++I) {
      lldb::SBSymbolContext Context = List.GetContextAtIndex(I);
      lldb::SBAddress A = Context.GetFunction().IsValid()
                              ? Context.GetFunction().GetStartAddress()
                              : Context.GetSymbol().GetStartAddress();
      if (A.OffsetAddress(Offset))
        Found.push_back(A);
    }
    return Found;
  }

  lldb::SBTarget Target;
  /// The error of the last expression.
  std::string EvaluationError;
};

/// Prints the archives' answers for addresses in the format of `image lookup`.
class LookupPrinter {
public:
  explicit LookupPrinter(lldb::SBCommandReturnObject &Result)
      : Result(Result) {}

  Error print(lldb::SBAddress Address) {
    lldb::SBModule Module = Address.GetModule();
    printAddress(Address, Module);
    std::optional<Service> Served = serviceOf(Module);
    if (!Served) {
      append(Result, "      Archive: none\n");
      return Error::success();
    }
    append(Result, "      Archive: " + Served->Archive + "\n");
    Opened *O = nullptr;
    if (Error E = open(Served->Archive).moveInto(O))
      return E;
    printFrames(*O, Module, Address.GetFileAddress());
    return Error::success();
  }

private:
  struct Opened {
    explicit Opened(Archive A) : A(std::move(A)), S(this->A, options()) {}

    static SymbolizerOptions options() {
      SymbolizerOptions O;
      O.Paths = SymbolizerOptions::PathKind::BaseNameOnly;
      O.Doubt = false;
      return O;
    }

    Archive A;
    Symbolizer S;
  };

  Expected<Opened *> open(const std::string &Path) {
    std::unique_ptr<Opened> &O = ByPath[Path];
    if (!O) {
      Expected<Archive> A = openStableArchive(Path);
      if (!A)
        return A.takeError();
      O = std::make_unique<Opened>(std::move(*A));
    }
    return O.get();
  }

  static StringRef name(lldb::SBModule Module) {
    return Module.GetFileSpec().GetFilename();
  }

  void printAddress(lldb::SBAddress Address, lldb::SBModule Module) {
    std::string Section;
    for (lldb::SBSection S = Address.GetSection(); S.IsValid();
         S = S.GetParent())
      Section = "." + StringRef(S.GetName()).str() + Section;
    std::string Text;
    raw_string_ostream(Text)
        << "      Address: " << name(Module) << '['
        << format_hex(Address.GetFileAddress(), 18) << "] (" << name(Module)
        << Section << " + " << Address.GetOffset() << ")\n";
    append(Result, Text);
  }

  /// Prints a chain like LLDB: each frame is at the call site of the previous
  /// frame.
  void printFrames(Opened &O, lldb::SBModule Module, uint64_t Address) {
    ArrayRef<Frame> Frames = O.S.frames(Address);
    std::string Text;
    raw_string_ostream OS(Text);
    StringRef Label = "      Summary: ";
    uint64_t Left = O.S.maxText();
    for (const Frame &F : Frames) {
      uint64_t Size = O.S.function(Frames.back()).size() +
                      O.S.function(F).size() + O.S.file(F).size();
      if (Size > Left) {
        OS << Label << (Frames.end() - &F) << " more frames are left out\n";
        break;
      }
      Left -= Size;
      OS << Label << name(Module) << '`';
      printFunction(OS, O, Frames.back(), Address);
      if (&F != &Frames.back()) {
        OS << " [inlined] ";
        printFunction(OS, O, F, Address);
      }
      printPlace(OS, O.S.file(F), F);
      OS << '\n';
      Address = O.A.range(F.Range).VA;
      Label = "               ";
    }
    if (Frames.empty())
      OS << Label << "not in the archive\n";
    append(Result, Text);
  }

  static void printFunction(raw_ostream &OS, Opened &O, const Frame &F,
                            uint64_t Address) {
    OS << O.S.function(F);
    if (uint64_t Offset = Address - O.A.range(F.Range).VA)
      OS << " + " << Offset;
  }

  static void printPlace(raw_ostream &OS, StringRef File, const Frame &F) {
    if (File.empty())
      return;
    OS << " at " << File;
    if (!F.Line)
      return;
    OS << ':' << F.Line;
    if (F.Column)
      OS << ':' << F.Column;
  }

  lldb::SBCommandReturnObject &Result;
  std::map<std::string, std::unique_ptr<Opened>> ByPath;
};
} // namespace

Error LookupCommand::run(lldb::SBDebugger, lldb::SBTarget Target,
                         Arguments Args, lldb::SBCommandReturnObject &Result) {
  if (Args.empty())
    return createStringError("'lidia lookup' needs at least one address");
  AddressResolver Resolver(Target);
  LookupPrinter Printer(Result);
  for (StringRef Argument : Args) {
    Expected<Addresses> Found = Resolver.resolve(Argument);
    if (!Found)
      return Found.takeError();
    for (lldb::SBAddress Address : *Found)
      if (Error E = Printer.print(Address))
        return E;
  }
  return Error::success();
}

} // namespace lidia
