//===- ObjectStore.h - Named objects in folders and buckets -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_OBJECTSTORE_H
#define LIDIA_STORE_OBJECTSTORE_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/DebugID.h"
#include "lidia/Archive/OutputFile.h"
#include "lidia/Store/RequestTotals.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace lidia {

/// An object of a store.
struct StoredObject {
  /// Below the store: parts with "/" between them, none of them empty, "." or
  /// "..".
  std::string Name;
  /// In bytes.
  uint64_t Size = 0;
  /// Of a folder, the time of the last access or write, whichever is later;
  /// of a bucket, that of the last write.
  llvm::sys::TimePoint<> LastUsed;
};

/// Whether put() replaces an object that is there.
enum class PutMode : uint8_t { IfAbsent, Replace };

/// Objects by name: whole files that are written once and read in parts, in a
/// folder or in a bucket of S3. Safe for threads, and for any number of
/// processes at once.
///
/// Errors name the object as a user would ("/srv/store/.build-id/...",
/// "s3://bucket/prefix/..."). One for an object that does not exist has the
/// code std::errc::no_such_file_or_directory; endsStore() tells those of the
/// whole store.
class ObjectStore {
public:
  /// The store at \p Where: a folder, `s3://bucket` with or without a prefix
  /// after it, or the URL of a web server, which cannot be listed, and of which
  /// only archives can be written, if it is `llvm-lidia serve` and \p Token the
  /// one that it wants. None is accessed yet; a folder is made by the first
  /// put().
  static llvm::Expected<std::unique_ptr<ObjectStore>>
  open(llvm::StringRef Where, const OutputFileOptions &Output = {},
       llvm::StringRef Token = "");

  virtual ~ObjectStore() = default;

  /// As the user named it, without a slash after it and without a password.
  llvm::StringRef name() const { return Name; }

  /// The path or the URL of \p Object, for openArchiveAt(). That of a web
  /// server may have a password, so messages name it without.
  std::string location(llvm::StringRef Object) const {
    return Place + "/" + Object.str();
  }

  /// Whether reading takes round trips to another machine.
  virtual bool isFar() const = 0;

  /// What the requests to another machine have cost so far. Those for the parts
  /// of an archive count if openArchiveAt() gets this.
  const std::shared_ptr<RequestTotals> &totals() const { return Totals; }

  /// An error if the place itself does not exist: a folder is looked at, a web
  /// server is asked for anything, a bucket is not asked.
  virtual llvm::Error checkPlace() = 0;

  /// An error if \p Object is something that no object can be, as a pipe. That
  /// is not opened: a pipe would wait for a writer.
  virtual llvm::Expected<bool> exists(llvm::StringRef Object) = 0;

  /// Copies the file \p From to \p Object, which appears whole or not at all,
  /// and is never seen in part. Returns false, and changes nothing, if it is
  /// there already and \p Mode is IfAbsent.
  virtual llvm::Expected<bool> put(llvm::StringRef Object, llvm::StringRef From,
                                   PutMode Mode) = 0;

  using Visitor = llvm::function_ref<llvm::Error(const StoredObject &)>;

  /// Calls \p Visit with each object whose name begins with \p Prefix, in order
  /// of name, until that fails. None if the store does not exist yet. \p AtOnce
  /// is how many of them are wanted soon, 0 if all are.
  virtual llvm::Error list(llvm::StringRef Prefix, Visitor Visit,
                           unsigned AtOnce = 0) = 0;

  /// The build ID of the binary that crash tools know as \p ID, if the place
  /// can tell without a list: none if a list is needed. Fails with the code
  /// std::errc::no_such_file_or_directory if there is no such binary.
  virtual llvm::Expected<std::optional<llvm::SmallVector<uint8_t, 20>>>
  buildIDOf(const DebugID &) {
    return std::nullopt;
  }

  /// One that does not exist is no error.
  virtual llvm::Error remove(llvm::StringRef Object) = 0;

  /// Removes what writers that were killed have left, if it has not been
  /// written to for an hour. Writers do so themselves where they write.
  virtual void removeAbandoned() {}

protected:
  explicit ObjectStore(std::string Name) : ObjectStore(Name, Name) {}
  /// \p Place is what locations begin with, if the name lacks a part of it.
  ObjectStore(std::string Name, std::string Place)
      : Name(std::move(Name)), Place(std::move(Place)) {}

private:
  const std::string Name;
  const std::string Place;
  const std::shared_ptr<RequestTotals> Totals =
      std::make_shared<RequestTotals>();
};

/// Whether an error with \p Code is one of the whole store: the keys are wrong
/// or have expired, there is no such bucket, the disk is full. The same call
/// for another object would fail, too.
bool endsStore(std::error_code Code);

} // namespace lidia

#endif // LIDIA_STORE_OBJECTSTORE_H
