//===- HTTPMessage.h - A request and its answer -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_HTTPMESSAGE_H
#define LIDIA_LIB_SERVER_HTTPMESSAGE_H

#include "MemoryBudget.h"
#include "PackedBody.h"
#include "lidia/Error.h"
#include "lidia/Server/ServerOptions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lidia {

/// The server is busy now, and not later: 503 with Retry-After.
class BusyError
    : public ErrorOfCode<BusyError, std::errc::resource_unavailable_try_again> {
  using ErrorOfCode::ErrorOfCode;
};

struct HTTPRequest {
  std::string Method;
  /// As the client sent it: percent-encoded, without the query.
  std::string Path;
  /// What follows "?", percent-encoded.
  std::string Query;
  /// The client's address, without its port; empty for a Unix socket.
  std::string Peer;
  /// By name in lower case. If a header is repeated, the last value.
  llvm::StringMap<std::string> Headers;
  std::string Body;
  /// Of an upload: the file that has the body, and its size.
  std::string BodyFile;
  uint64_t BodyFileSize = 0;
  /// The size of a Body that is not needed any more.
  uint64_t ReleasedSize = 0;
  /// What answers it, as Service.h's route() says, and the parts of the path
  /// that match the wildcards of the endpoint's pattern, decoded. Null before.
  const struct Endpoint *Route = nullptr;
  std::vector<std::string> Parts;
  /// What its token, if it has one, allows; without the secret.
  AccessToken Token;
  /// What requests to upstream servers on its behalf have as X-Forwarded-For
  /// (Upstream::forwardedFor()). None if it may cause no such requests.
  std::optional<std::string> ForwardedFor;

  /// Whether the thread that answers it is for work that takes seconds
  /// (WorkKind::Export).
  bool MayTakeLong = false;

  uint64_t bodySize() const {
    return Body.size() + BodyFileSize + ReleasedSize;
  }

  /// Empty if the request does not have the header.
  llvm::StringRef header(llvm::StringRef LowerName) const {
    auto It = Headers.find(LowerName);
    return It == Headers.end() ? llvm::StringRef() : It->second;
  }

  /// The values of the query's parameter \p Name, decoded.
  std::vector<std::string> parameters(llvm::StringRef Name) const;
};

/// An open file that is sent as an answer. Its last owner closes it.
class SentFile {
public:
  /// Opens the regular file at \p Path, which must not be a link: who may
  /// write to the store may not have any file of this machine sent.
  static llvm::Expected<std::shared_ptr<SentFile>> open(llvm::StringRef Path);
  ~SentFile();
  SentFile(const SentFile &) = delete;

  /// A path by which this process can open the same file again.
  std::string path() const {
    return "/proc/self/fd/" + std::to_string(Descriptor);
  }

  const int Descriptor;
  const uint64_t Size;
  /// Made of size, modification time and inode, so that it changes with the
  /// contents as far as the system can tell.
  const std::string Tag;

private:
  SentFile(int Descriptor, uint64_t Size, std::string Tag)
      : Descriptor(Descriptor), Size(Size), Tag(std::move(Tag)) {}
};

struct HTTPResponse {
  unsigned Status = 200;
  std::string ContentType;
  std::vector<std::pair<std::string, std::string>> Headers;
  /// Identifies the contents, without quotes. Empty if they may differ each
  /// time.
  std::string ETag;
  /// The answer, unless File is set.
  std::string Body;
  /// The same, instead of Body, for clients that may be slow.
  std::shared_ptr<PackedBody> Packed;
  /// What Body or Packed uses of the memory for all.
  MemoryShare Memory;
  std::shared_ptr<SentFile> File;
  /// Of an answer to HEAD that has neither: the size of what GET sends.
  std::optional<uint64_t> SizeOnly;
  /// The part of the file to send.
  uint64_t FileOffset = 0;
  uint64_t FileSize = 0;

  uint64_t size() const {
    return File ? FileSize : Packed ? Packed->size() : Body.size();
  }

  static HTTPResponse json(std::string Body);
  static HTTPResponse text(std::string Body);
  static HTTPResponse file(std::shared_ptr<SentFile> File);
  /// `{"error": Message}` with \p Status.
  static HTTPResponse error(unsigned Status, const llvm::Twine &Message);
  /// 503, and asks the client to retry in a second.
  static HTTPResponse busy();
  /// 503 because of the store or an upstream server.
  static HTTPResponse unavailable(const llvm::Twine &Message);
  /// The answer for \p E: 404 for a missing file or information, 413 for a
  /// limit, 400 for an invalid request, and 500 or 503 for errors of the
  /// server, without the message, which may name files of this machine.
  static HTTPResponse of(llvm::Error E);

  /// The answer for an error about a body that is a file: 415 for an unknown
  /// kind, 422 for a damaged file.
  static HTTPResponse ofInput(llvm::Error E);

  void add(llvm::StringRef Name, const llvm::Twine &Value) {
    Headers.emplace_back(Name.str(), Value.str());
  }
};

/// Turns \p R into the answer to a conditional request or a range request (RFC
/// 9110, 13 and 14): 304, 206 or 416. If several ranges are requested, the
/// whole contents are sent.
void applyConditions(const HTTPRequest &Request, HTTPResponse &R);

/// Compresses the body of \p R with zstd or gzip if the client accepts it and
/// the body is large enough.
void compressBody(const HTTPRequest &Request, HTTPResponse &R);

/// HTTP's reason phrase for \p Status, for metrics and messages.
llvm::StringRef statusText(unsigned Status);

} // namespace lidia

#endif // LIDIA_LIB_SERVER_HTTPMESSAGE_H
