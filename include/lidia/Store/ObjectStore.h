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
#include "lidia/Store/RequestTotals.h"
#include "lidia/Support/OutputFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
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
  /// The path relative to the store: parts separated by "/", none of them
  /// empty, "." or "..".
  std::string Name;
  /// In bytes.
  uint64_t Size = 0;
  /// The time of the last write, or of a later use that is recorded in the
  /// store (forEachWithUse()).
  llvm::sys::TimePoint<> LastUsed;
  /// The time of the last write.
  llvm::sys::TimePoint<> Written;
};

/// Whether put() replaces an existing object.
enum class PutMode : uint8_t {
  IfAbsent,
  Replace,
  /// Replace, for a place that keeps the better of two archives itself
  /// (ObjectStore::keepsBetter()).
  Improve
};

/// Objects by name, in a folder or in a bucket of S3. An object is a file that
/// is written as a whole and read in parts. Safe for any number of threads and
/// processes at once.
///
/// Errors name the object as a user would ("/srv/store/.build-id/...",
/// "s3://bucket/prefix/..."). The error for an object that does not exist has
/// the code std::errc::no_such_file_or_directory; endsStore() recognises errors
/// that affect the whole store.
class ObjectStore {
public:
  virtual ~ObjectStore() = default;

  /// As the user named it, without a slash after it and without a password.
  llvm::StringRef name() const { return Name; }

  /// The path or the URL of \p Object, for openArchiveAt(). The URL of a web
  /// server may contain a password, so do not use it in messages.
  std::string location(llvm::StringRef Object) const {
    return Place + "/" + Object.str();
  }

  /// Whether reading takes round trips to another machine.
  virtual bool isFar() const = 0;

  /// The requests to another machine so far. Pass this to openArchiveAt() to
  /// include the requests for the parts of archives.
  const std::shared_ptr<RequestTotals> &totals() const { return Totals; }

  /// Fails if the place itself does not exist. Looks at a folder, or sends a
  /// request to a web server; does not access a bucket.
  virtual llvm::Error checkPlace() = 0;

  /// Whether \p Object exists. Fails if it is something that no object can be,
  /// such as a pipe, which is not opened because that would wait for a writer.
  virtual llvm::Expected<bool> exists(llvm::StringRef Object) = 0;

  /// Copies the file \p From to \p Object. The object appears only when it is
  /// complete. Returns false and changes nothing if the object exists and
  /// \p Mode is IfAbsent.
  virtual llvm::Expected<bool> put(llvm::StringRef Object, llvm::StringRef From,
                                   PutMode Mode) = 0;

  /// Whether put() keeps, of two archives, the one that has more in it, unless
  /// the mode is Replace.
  virtual bool keepsBetter() const { return false; }

  using Visitor = llvm::function_ref<llvm::Error(const StoredObject &)>;

  /// Calls \p Visit with each object whose name begins with \p Prefix, in order
  /// of name, until \p Visit fails. Visits nothing if the store does not exist
  /// yet. \p AtOnce is the number of objects that the caller needs soon, or 0
  /// for all. Objects up to \p After, in that order, are left out.
  virtual llvm::Error list(llvm::StringRef Prefix, Visitor Visit,
                           unsigned AtOnce = 0, llvm::StringRef After = "") = 0;

  /// The build ID of the binary that others know as \p ID, an ID of \p Kind
  /// ("debugid", "htlhash") in letters and digits, if the place can find it
  /// without a list; none if a list is needed. Fails with the code
  /// std::errc::no_such_file_or_directory if there is no such binary.
  virtual llvm::Expected<std::optional<llvm::SmallVector<uint8_t, 20>>>
  buildIDOf(llvm::StringRef Kind, llvm::StringRef ID) {
    (void)Kind;
    (void)ID;
    return std::nullopt;
  }

  /// Removes \p Object if it exists.
  virtual llvm::Error remove(llvm::StringRef Object) = 0;

  /// Calls \p Do with each number below \p Count, until it fails. If each call
  /// would wait for another machine, several threads call it at once, in any
  /// order.
  llvm::Error forEachIndex(size_t Count,
                           llvm::function_ref<llvm::Error(size_t)> Do) const;

  /// Removes \p Objects, in any order.
  llvm::Error removeAll(llvm::ArrayRef<std::string> Objects);

  /// Removes files that killed writers have left, if they have not been written
  /// to for an hour. Writers also do this in the folders that they write to.
  virtual void removeAbandoned() {}

  /// Like list(), for callers that need only a few objects, whichever these
  /// are: in a folder, the time does not depend on how many there are.
  virtual llvm::Error listSome(llvm::StringRef Prefix, Visitor Visit) {
    constexpr unsigned AtOnce = 10;
    return list(Prefix, Visit, AtOnce);
  }

protected:
  explicit ObjectStore(std::string TheName) : ObjectStore(TheName, TheName) {}
  /// \p ThePlace is the beginning of locations, if it differs from \p TheName.
  ObjectStore(std::string TheName, std::string ThePlace)
      : Name(std::move(TheName)), Place(std::move(ThePlace)) {}

private:
  const std::string Name;
  const std::string Place;
  const std::shared_ptr<RequestTotals> Totals =
      std::make_shared<RequestTotals>();
};

/// Whether an error with \p Code affects the whole store, so that the same call
/// would fail for any other object: the keys are wrong or have expired, there
/// is no such bucket, or the disk is full.
bool endsStore(std::error_code Code);

} // namespace lidia

#endif // LIDIA_STORE_OBJECTSTORE_H
