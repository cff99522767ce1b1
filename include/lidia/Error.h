//===- Error.h - Errors of lidia's libraries --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The class of an error of these libraries says what is wrong, so that callers
/// can react to it:
///
/// \code
///   llvm::Expected<lidia::Archive> A = lidia::Archive::open(Path);
///   if (!A)
///     return llvm::handleErrors(
///         A.takeError(),
///         [&](const lidia::NotAnArchiveError &) { return convert(Path); },
///         [&](const lidia::DamagedError &E) { return makeAgain(E.file()); });
/// \endcode
///
/// The text of an error names the file and can be printed as it is.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ERROR_H
#define LIDIA_ERROR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>
#include <system_error>

namespace lidia {

/// The base class of all errors of these libraries.
class LidiaError : public llvm::ErrorInfo<LidiaError> {
public:
  static inline char ID = 0;

  /// The text is "File: Where Message"; empty parts are left out.
  LidiaError(std::error_code TheCode, const llvm::Twine &TheFile,
             const llvm::Twine &Message, const llvm::Twine &TheWhere = "")
      : Code(TheCode), File(TheFile.str()), Where(TheWhere.str()),
        Text(Message.str()) {
    if (!Where.empty())
      Text = Where + " " + Text;
    if (!File.empty())
      Text = File + ": " + Text;
  }

  /// The file, the URL or the name of the input; empty if there is none.
  llvm::StringRef file() const { return File; }
  /// The part of the file, such as "zstd frame 3 of 10"; empty if the error is
  /// about the whole file or the part is not known.
  llvm::StringRef where() const { return Where; }

  virtual std::unique_ptr<LidiaError> clone() const {
    return std::make_unique<LidiaError>(*this);
  }

  void log(llvm::raw_ostream &OS) const override { OS << Text; }
  /// A code of std::errc or of the system.
  std::error_code convertToErrorCode() const override { return Code; }

  /// Puts \p Prefix and ": " before the text. If file() is empty, it becomes
  /// \p Prefix.
  void addPrefix(const llvm::Twine &Prefix) {
    std::string Name = Prefix.str();
    Text = Name + ": " + Text;
    if (File.empty())
      File = std::move(Name);
  }

  /// Puts \p Place and ": " before the text, and before where().
  void addWhere(const llvm::Twine &Place) {
    std::string Name = Place.str();
    Text = Name + ": " + Text;
    Where = Where.empty() ? std::move(Name) : Name + ": " + Where;
  }

  /// Puts \p Detail after the text.
  void addDetail(const llvm::Twine &Detail) { Text += Detail.str(); }

private:
  std::error_code Code;
  std::string File;
  std::string Where;
  std::string Text;
};

/// Implements the classes below.
template <typename T>
class ErrorOfClass : public llvm::ErrorInfo<T, LidiaError> {
public:
  static inline char ID = 0;
  using llvm::ErrorInfo<T, LidiaError>::ErrorInfo;

  std::unique_ptr<LidiaError> clone() const override {
    return std::make_unique<T>(static_cast<const T &>(*this));
  }
};

/// The same, with the fixed code \p TheCode.
template <typename T, std::errc TheCode>
class ErrorOfCode : public ErrorOfClass<T> {
public:
  ErrorOfCode(const llvm::Twine &TheFile, const llvm::Twine &Message,
              const llvm::Twine &TheWhere = "")
      : ErrorOfClass<T>(std::make_error_code(TheCode), TheFile, Message,
                        TheWhere) {}
};

/// The file is not an archive: it does not begin like one.
class NotAnArchiveError
    : public ErrorOfCode<NotAnArchiveError,
                         std::errc::executable_format_error> {
  using ErrorOfCode::ErrorOfCode;
};

/// The file is not in a format of binaries that this version reads. Another
/// tool may read it.
class NotABinaryError
    : public ErrorOfCode<NotABinaryError, std::errc::executable_format_error> {
  using ErrorOfCode::ErrorOfCode;
};

/// The file violates its format, or is truncated.
class DamagedError
    : public ErrorOfCode<DamagedError, std::errc::illegal_byte_sequence> {
  using ErrorOfCode::ErrorOfCode;
};

/// The request needs a feature that this version does not have or was built
/// without.
class UnsupportedError
    : public ErrorOfCode<UnsupportedError, std::errc::not_supported> {
  using ErrorOfCode::ErrorOfCode;
};

/// The file lacks what was asked for: debug information, symbols, checksums.
class MissingInformationError
    : public ErrorOfCode<MissingInformationError,
                         std::errc::no_message_available> {
  using ErrorOfCode::ErrorOfCode;
};

/// The input exceeds a limit that protects against crafted input.
class LimitError : public ErrorOfCode<LimitError, std::errc::value_too_large> {
  using ErrorOfCode::ErrorOfCode;
};

/// The request itself is wrong: an option, a value, or a call that breaks a
/// rule.
class ArgumentError
    : public ErrorOfCode<ArgumentError, std::errc::invalid_argument> {
  using ErrorOfCode::ErrorOfCode;
};

/// The operating system or a server reported an error. convertToErrorCode()
/// returns its code.
class SystemError : public ErrorOfClass<SystemError> {
public:
  /// The text ends with \p Message or, if that is empty, with the message of
  /// \p TheCode.
  SystemError(std::error_code TheCode, const llvm::Twine &TheFile,
              const llvm::Twine &Message = "")
      : ErrorOfClass(TheCode, TheFile,
                     Message.isTriviallyEmpty() ? TheCode.message() : Message) {
  }
};

/// What ends when its caller no longer wants the result of an operation on
/// \p File.
inline llvm::Error cancelledError(const llvm::Twine &File,
                                  const llvm::Twine &Message = "") {
  return llvm::make_error<SystemError>(
      std::make_error_code(std::errc::operation_canceled), File, Message);
}

/// A store or a server did not answer, or refused everything, so that it is not
/// known whether it has the file. The same request may succeed later, which
/// distinguishes this from a file that is missing or damaged.
class OutageError : public llvm::ErrorInfo<OutageError, SystemError> {
public:
  static inline char ID = 0;

  /// \p AreOthersToo says that requests for other files would fail, as well.
  OutageError(std::error_code TheCode, const llvm::Twine &TheFile,
              const llvm::Twine &Message, bool AreOthersToo)
      : ErrorInfo(TheCode, TheFile, Message), IsGeneral(AreOthersToo) {}
  std::unique_ptr<LidiaError> clone() const override {
    return std::make_unique<OutageError>(*this);
  }
  bool isGeneral() const { return IsGeneral; }

private:
  bool IsGeneral;
};

/// Converts \p E to one of the classes above. Several errors become one. Errors
/// of other libraries become SystemErrors if they have a code of the system;
/// otherwise they become DamagedErrors, because LLVM could not read something.
inline std::unique_ptr<LidiaError> toLidiaError(llvm::Error E) {
  std::unique_ptr<LidiaError> Result;
  auto Add = [&](std::unique_ptr<LidiaError> Ours) {
    if (Result)
      Result->addDetail("\n" + Ours->message());
    else
      Result = std::move(Ours);
  };
  llvm::handleAllErrors(
      std::move(E),
      [&](std::unique_ptr<LidiaError> Ours) { Add(std::move(Ours)); },
      [&](const llvm::ErrorInfoBase &Other) {
        std::error_code Code = Other.convertToErrorCode();
        bool IsSystem = Code.category() == std::generic_category() ||
                        Code.category() == std::system_category();
        std::unique_ptr<LidiaError> Ours;
        if (IsSystem)
          Ours = std::make_unique<SystemError>(Code, "", Other.message());
        else
          Ours = std::make_unique<DamagedError>("", Other.message());
        Add(std::move(Ours));
      });
  return Result;
}

/// \p E with "Prefix: " before its text. If the error names no file, its file
/// becomes \p Prefix.
inline llvm::Error addPrefix(const llvm::Twine &Prefix, llvm::Error E) {
  std::unique_ptr<LidiaError> Ours = toLidiaError(std::move(E));
  Ours->addPrefix(Prefix);
  return llvm::Error(std::move(Ours));
}

/// \p E with "Place: " before its text, where \p Place is a part of a file
/// whose name the caller does not know.
inline llvm::Error addWhere(const llvm::Twine &Place, llvm::Error E) {
  std::unique_ptr<LidiaError> Ours = toLidiaError(std::move(E));
  Ours->addWhere(Place);
  return llvm::Error(std::move(Ours));
}

/// An error that is reported more than once.
class RememberedError {
public:
  RememberedError() = default;
  explicit RememberedError(llvm::Error E) : Info(toLidiaError(std::move(E))) {}

  explicit operator bool() const { return Info != nullptr; }
  /// Success if there is none.
  llvm::Error get() const {
    return Info ? llvm::Error(Info->clone()) : llvm::Error::success();
  }

private:
  std::shared_ptr<const LidiaError> Info;
};

} // namespace lidia

#endif // LIDIA_ERROR_H
