//===- ResponseFiles.cpp - Options from files -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResponseFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;

namespace lidia {

static constexpr unsigned MaxResponseFiles = 1000;
static constexpr size_t MaxBytes = size_t(16) << 20;

namespace {
/// A file that has been read.
class ReadFile : public vfs::File {
public:
  ReadFile(vfs::Status Status, std::string Text)
      : Status(std::move(Status)), Text(std::move(Text)) {}

  ErrorOr<vfs::Status> status() override { return Status; }
  ErrorOr<std::unique_ptr<MemoryBuffer>> getBuffer(const Twine &Name, int64_t,
                                                   bool, bool) override {
    return MemoryBuffer::getMemBufferCopy(Text, Name);
  }
  std::error_code close() override { return std::error_code(); }

private:
  vfs::Status Status;
  std::string Text;
};

/// The real file system with a budget. LLVM expands files without a limit: six
/// files of which each names the next one ten times make a million.
class BudgetedFiles : public vfs::ProxyFileSystem {
public:
  BudgetedFiles() : ProxyFileSystem(vfs::getRealFileSystem()) {}

  ErrorOr<std::unique_ptr<vfs::File>>
  openFileForRead(const Twine &Path) override {
    ErrorOr<vfs::Status> Status = status(Path);
    if (!Status)
      return Status.getError();
    std::string Text;
    if (Error E = read(Path, Text))
      return errorToErrorCode(std::move(E));
    return std::make_unique<ReadFile>(*Status, std::move(Text));
  }

  /// The first file beyond the limit, or empty.
  const std::string &refused() const { return Refused; }

private:
  Error read(const Twine &Path, std::string &Text);

  unsigned FilesLeft = MaxResponseFiles;
  size_t BytesLeft = MaxBytes;
  std::string Refused;
};
} // namespace

/// Reads piece by piece, because the size of a device or a pipe is unknown.
static Error readAll(sys::fs::file_t File,
                     function_ref<Error(StringRef Piece)> Take) {
  char Buffer[16384];
  while (true) {
    Expected<size_t> Count = sys::fs::readNativeFile(File, Buffer);
    if (!Count)
      return Count.takeError();
    if (!*Count)
      return Error::success();
    if (Error E = Take(StringRef(Buffer, *Count)))
      return E;
  }
}

Error BudgetedFiles::read(const Twine &Path, std::string &Text) {
  auto Refuse = [&] {
    Refused = Path.str();
    return errorCodeToError(
        std::make_error_code(std::errc::argument_list_too_long));
  };
  if (!FilesLeft)
    return Refuse();
  --FilesLeft;
  Expected<sys::fs::file_t> File = sys::fs::openNativeFileForRead(Path);
  if (!File)
    return File.takeError();
  Error E = readAll(*File, [&](StringRef Piece) -> Error {
    if (Piece.size() > BytesLeft)
      return Refuse();
    BytesLeft -= Piece.size();
    Text += Piece;
    return Error::success();
  });
  sys::fs::closeFile(*File);
  return E;
}

/// \p Text without its comments.
static std::string withoutComments(StringRef Text) {
  std::string Rest;
  char Quote = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    bool IsWordStart = I == 0 || isSpace(Text[I - 1]);
    if (C == '#' && !Quote && IsWordStart) {
      I = Text.find('\n', I);
      if (I == StringRef::npos)
        break;
      C = '\n';
    } else if (C == '\\' && I + 1 != Text.size()) {
      Rest += C;
      C = Text[++I];
    } else if (Quote ? C == Quote : C == '"' || C == '\'') {
      Quote = Quote ? 0 : C;
    }
    Rest += C;
  }
  return Rest;
}

static void tokenizeWithComments(StringRef Source, StringSaver &Saver,
                                 SmallVectorImpl<const char *> &Argv,
                                 bool MarkEOLs) {
  cl::TokenizeGNUCommandLine(withoutComments(Source), Saver, Argv, MarkEOLs);
}

Error expandResponseFiles(BumpPtrAllocator &Allocator,
                          SmallVectorImpl<const char *> &Argv,
                          bool HaveComments) {
  BudgetedFiles Files;
  cl::ExpansionContext Expansion(Allocator, HaveComments
                                                ? tokenizeWithComments
                                                : cl::TokenizeGNUCommandLine);
  Error E = Expansion.setVFS(&Files).expandResponseFiles(Argv);
  if (Files.refused().empty())
    return E;
  consumeError(std::move(E));
  return createStringError(
      Twine(Files.refused()) +
      ": one response file too many: a command line may read " +
      Twine(MaxResponseFiles) + ", and " + Twine(MaxBytes >> 20) +
      " MiB in all (a file counts each time that it is named)");
}

} // namespace lidia
