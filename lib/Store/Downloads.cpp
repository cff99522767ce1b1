//===- Downloads.cpp - Files of servers in a cache folder -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Downloads.h"
#include "Curl.h"
#include "HTTPHandles.h"
#include "HTTPLimits.h"
#include "Location.h"
#include "Support/URLText.h"
#include "lidia/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <sys/statvfs.h>

using namespace lidia;
using namespace llvm;

/// A request for a file.
struct lidia::Download {
  UnfinishedFile *To = nullptr;
  uint64_t Size = 0;
  /// In bytes.
  uint64_t Max = UINT64_MAX;
  bool IsTooLarge = false;
  bool IsFull = false;
  const DownloadOptions *Options = nullptr;
  /// When the last byte came.
  std::chrono::steady_clock::time_point LastByte;
  /// The server was reached.
  bool IsConnected = false;
  /// The server has sent a part, and nothing more for too long.
  bool HasStalled = false;
  /// Released when the server was reached.
  std::unique_lock<std::mutex> *FirstContact = nullptr;
  CURLcode Code = CURLE_OK;
  long Status = 0;
  char Message[CURL_ERROR_SIZE] = {};

  /// CURLOPT_WRITEFUNCTION.
  static size_t onBody(char *Data, size_t, size_t Count, void *User);
  /// CURLOPT_PREREQFUNCTION.
  static int onConnected(void *User, char *, char *, int, int);
  /// CURLOPT_XFERINFOFUNCTION: a nonzero value ends the request.
  static int onProgress(void *User, curl_off_t, curl_off_t, curl_off_t,
                        curl_off_t);
};

Downloads::Downloads(StringRef Protocol, std::vector<std::string> URLs,
                     std::string CacheFolder, DownloadOptions Options,
                     std::string HeadersFile)
    : Protocol(Protocol), URLs(std::move(URLs)),
      CacheFolder(std::move(CacheFolder)), HeadersFile(std::move(HeadersFile)),
      Options(std::move(Options)),
      Failed(this->CacheFolder + "/.lidia-failed") {
  for (const std::string &URL : this->URLs)
    Servers.emplace_back(URL);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// The space that stays free on a disk, unless a twentieth of the disk is less.
static constexpr uint64_t Reserve = uint64_t(1) << 30;

/// The maximum size of a file in \p Folder that preserves the reserve;
/// UINT64_MAX if the free space is unknown.
static uint64_t spaceIn(const std::string &Folder) {
  struct statvfs Status;
  if (::statvfs(Folder.c_str(), &Status))
    return UINT64_MAX;
  uint64_t Free = uint64_t(Status.f_bavail) * Status.f_frsize;
  uint64_t Total = uint64_t(Status.f_blocks) * Status.f_frsize;
  uint64_t Kept = std::min(Reserve, Total / 20);
  return Free - std::min(Free, Kept);
}

uint64_t Downloads::maxBytes() const {
  uint64_t Space = spaceIn(CacheFolder);
  return Options.MaxSize ? std::min(Options.MaxSize, Space) : Space;
}

// Returning anything but Count is an error.
size_t Download::onBody(char *Data, size_t, size_t Count, void *User) {
  auto &D = *static_cast<Download *>(User);
  if (Count > D.Max - D.Size) {
    D.IsTooLarge = true;
    return 0;
  }
  D.Size += Count;
  D.LastByte = std::chrono::steady_clock::now();
  D.To->os().write(Data, Count);
  return Count;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

int Download::onConnected(void *User, char *, char *, int, int) {
  auto &D = *static_cast<Download *>(User);
  D.IsConnected = true;
  // Others need not wait for the answer, if that may take long.
  if (D.Options->MaxFailures > 1 && D.FirstContact->owns_lock())
    D.FirstContact->unlock();
  return CURL_PREREQFUNC_OK;
}

int Download::onProgress(void *User, curl_off_t, curl_off_t, curl_off_t,
                         curl_off_t) {
  auto &D = *static_cast<Download *>(User);
  auto Max = std::chrono::seconds(D.Options->StallSeconds);
  // libcurl's own limit is that for the first byte.
  D.HasStalled = D.Size && std::chrono::steady_clock::now() - D.LastByte > Max;
  return D.HasStalled || (D.Options->Cancel && *D.Options->Cancel);
}

/// The headers of the protocol, and those of the user's file.
curl_slist *Downloads::headers(const Curl &C, const WantedFile &W) {
  curl_slist *List = nullptr;
  auto Add = [&](const Twine &Line) {
    if (curl_slist *Longer = C.slist_append(List, Line.str().c_str()))
      List = Longer;
  };
  for (const std::string &Line : W.Headers)
    Add(Line);
  if (HeadersFile.empty())
    return List;
  ErrorOr<std::unique_ptr<MemoryBuffer>> File =
      MemoryBuffer::getFile(HeadersFile);
  if (!File) {
    if (!HasWarnedOfHeaders.exchange(true))
      W.Warn(Protocol + ": DEBUGINFOD_HEADERS_FILE: " + HeadersFile + ": " +
             File.getError().message());
    return List;
  }
  SmallVector<StringRef, 4> Lines;
  SplitString((*File)->getBuffer(), Lines, "\r\n");
  for (StringRef Line : Lines)
    if (!Line.trim().empty())
      Add(Line);
  return List;
}

void Downloads::setUp(const Curl &C, CURL *Easy, const std::string &URL,
                      Download &D) {
  Location Where;
  Where.URL = URL;
  setTarget(C, Easy, Where);
  C.easy_setopt(Easy, CURLOPT_NOSIGNAL, 1L);
  C.easy_setopt(Easy, CURLOPT_CONNECTTIMEOUT_MS,
                std::min(DownloadOptions::MaxConnectSeconds * 1000,
                         Options.StallSeconds * 500));
  C.easy_setopt(Easy, CURLOPT_LOW_SPEED_LIMIT, HTTPLimits::StallBytesPerSecond);
  C.easy_setopt(Easy, CURLOPT_LOW_SPEED_TIME,
                std::max(Options.StallSeconds, Options.FirstByteSeconds));
  C.easy_setopt(Easy, CURLOPT_TIMEOUT, Options.MaxSeconds);
  if (!Options.FollowRedirects)
    C.easy_setopt(Easy, CURLOPT_FOLLOWLOCATION, 0L);
  D.Options = &Options;
  C.easy_setopt(Easy, CURLOPT_NOPROGRESS, 0L);
  C.easy_setopt(Easy, CURLOPT_XFERINFOFUNCTION, Download::onProgress);
  C.easy_setopt(Easy, CURLOPT_XFERINFODATA, &D);
  C.easy_setopt(Easy, CURLOPT_PREREQFUNCTION, Download::onConnected);
  C.easy_setopt(Easy, CURLOPT_PREREQDATA, &D);
  // Do not receive the body of an error.
  C.easy_setopt(Easy, CURLOPT_FAILONERROR, 1L);
  C.easy_setopt(Easy, CURLOPT_ACCEPT_ENCODING, "");
  if (D.Max <= uint64_t(INT64_MAX))
    C.easy_setopt(Easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(D.Max));
  C.easy_setopt(Easy, CURLOPT_WRITEFUNCTION, Download::onBody);
  C.easy_setopt(Easy, CURLOPT_WRITEDATA, &D);
  C.easy_setopt(Easy, CURLOPT_ERRORBUFFER, D.Message);
}

void Downloads::run(const Curl &C, const std::string &URL, Download &D,
                    const WantedFile &W) {
  CURL *Easy = Handles.take(C);
  if (!Easy) {
    D.Code = CURLE_OUT_OF_MEMORY;
    return;
  }
  setUp(C, Easy, URL, D);
  curl_slist *Lines = headers(C, W);
  C.easy_setopt(Easy, CURLOPT_HTTPHEADER, Lines);
  D.Code = perform(C, Easy);
  if (D.HasStalled)
    D.Code = CURLE_OPERATION_TIMEDOUT;
  C.easy_getinfo(Easy, CURLINFO_RESPONSE_CODE, &D.Status);
  // The handle must not keep pointers to objects that end here.
  C.easy_setopt(Easy, CURLOPT_HTTPHEADER, nullptr);
  C.easy_setopt(Easy, CURLOPT_ERRORBUFFER, nullptr);
  C.slist_free_all(Lines);
  Handles.giveBack(Easy);
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

/// Whether the failure is of the server, and not of this one request.
static bool isServersFault(const Download &D) {
  switch (D.Code) {
  case CURLE_OK:
  case CURLE_WRITE_ERROR:
  case CURLE_FILESIZE_EXCEEDED:
  case CURLE_OUT_OF_MEMORY:
  case CURLE_ABORTED_BY_CALLBACK:
    return false;
  case CURLE_HTTP_RETURNED_ERROR:
    return D.Status >= 500;
  default:
    return true;
  }
}

/// Notes that \p S works.
void Downloads::noteAnswer(Server &S, const WantedFile &W) {
  std::lock_guard<std::mutex> Lock(S.Mutex);
  if (!S.FailedFor.empty() && Options.MaxFailures > 1)
    W.Warn(Protocol + ": " + urlForMessages(S.URL) + ": answers again");
  S.FailedFor.clear();
}

/// Notes that \p S has failed for the file of \p W, and adds to \p Why what
/// follows. Returns whether to tell it.
bool Downloads::noteFailure(Server &S, const WantedFile &W, const Download &D,
                            std::string &Why) {
  bool IsFirst, IsAvoided;
  {
    std::lock_guard<std::mutex> Lock(S.Mutex);
    IsFirst = S.FailedFor.empty();
    // A server that can be reached may lack only this file.
    if (S.FailedFor.size() < Options.MaxFailures)
      S.FailedFor.insert(W.URLPath);
    IsAvoided = !D.IsConnected || S.FailedFor.size() >= Options.MaxFailures;
  }
  if (!IsAvoided) {
    Why += " (" + W.Subject + ")";
    return IsFirst;
  }
  Why += " (not retried for a minute)";
  return Failed.add(S.URL);
}

/// Warns why the file could not be fetched, unless the server does not have it.
void Downloads::explain(Server &S, const WantedFile &W, const Download &D,
                        DownloadedFile &Result) {
  constexpr long NotFound = 404, Gone = 410;
  bool IsStatus = D.Code == CURLE_HTTP_RETURNED_ERROR;
  if (!isServersFault(D) && D.Status)
    noteAnswer(S, W);
  if (IsStatus && (D.Status == NotFound || D.Status == Gone))
    return;
  Result.MayExist = true;
  if (D.Code == CURLE_ABORTED_BY_CALLBACK)
    return;
  const Curl &C = cantFail(Curl::get());
  std::string Why;
  if (D.IsTooLarge || D.Code == CURLE_FILESIZE_EXCEEDED)
    Why = Options.MaxSize && D.Max == Options.MaxSize
              ? "the file has more than " + utostr(D.Max) + " bytes (see " +
                    Options.MaxSizeOption + ")"
              : "the file would fill the disk of " + CacheFolder;
  else if (IsStatus || D.Code == CURLE_OK)
    Why = "the server answers with HTTP status " + std::to_string(D.Status);
  else if (D.HasStalled)
    Why = "the server sent a part, and nothing for " +
          std::to_string(Options.StallSeconds) + " seconds";
  else
    Why = withoutPasswords(*D.Message ? D.Message : C.easy_strerror(D.Code));
  if (!isServersFault(D) || noteFailure(S, W, D, Why))
    W.Warn(Protocol + ": " + urlForMessages(S.URL) + ": " + Why);
}

/// Moves the received file to its place, if it is the right one.
bool Downloads::take(const std::string &Server, const WantedFile &W,
                     Download &D, DownloadedFile &Result) {
  std::error_code EC = D.To->close();
  if (!EC && !W.IsRight(D.To->path())) {
    W.Warn(Protocol + ": " + urlForMessages(Server) + " has another file for " +
           W.Subject);
    return false;
  }
  if (!EC)
    EC = D.To->renameTo(W.path());
  if (!EC)
    return true;
  W.Warn(Protocol + ": " + W.path() + ": " + EC.message());
  Result.MayExist = true;
  return false;
}

/// Requests the file. Returns whether it is now in the cache.
bool Downloads::ask(Server &S, const WantedFile &W, DownloadedFile &Result,
                    std::unique_lock<std::mutex> &FirstContact) {
  Expected<const Curl &> C = Curl::get();
  if (!C) {
    W.Warn(Protocol + ": " + toString(C.takeError()));
    Result.MayExist = true;
    return false;
  }
  std::error_code EC = sys::fs::create_directories(W.Folder);
  ErrorOr<UnfinishedFile> File =
      EC ? ErrorOr<UnfinishedFile>(EC)
         : UnfinishedFile::create(W.Folder, W.CacheName + ".", "", 0644,
                                  Options.Output);
  if (!File) {
    W.Warn(Protocol + ": " + W.Folder + ": " + File.getError().message());
    Result.MayExist = true;
    return false;
  }
  Download D;
  D.To = &*File;
  D.Max = maxBytes();
  D.FirstContact = &FirstContact;
  run(*C, (StringRef(S.URL).rtrim('/') + "/" + W.URLPath).str(), D, W);
  ++Result.Requests;
  Result.Bytes += D.Size;
  S.HasAnswered = S.HasAnswered || !isServersFault(D);
  constexpr long Found = 200;
  if (D.Code == CURLE_OK && D.Status == Found) {
    noteAnswer(S, W);
    return take(S.URL, W, D, Result);
  }
  explain(S, W, D, Result);
  return false;
}

bool Downloads::mayAsk(const std::string &Server, const WantedFile &W) {
  FailedServers::State State = Failed.state(Server);
  if (State == FailedServers::State::FailedElsewhere)
    W.Warn(Protocol + ": " + urlForMessages(Server) +
           ": skipped, because it failed less than a minute ago");
  return State == FailedServers::State::Usable;
}

bool Downloads::askUnlessFailed(Server &S, const WantedFile &W,
                                DownloadedFile &Result) {
  std::unique_lock<std::mutex> Lock(S.FirstContact, std::defer_lock);
  if (!S.HasAnswered)
    Lock.lock();
  if (mayAsk(S.URL, W))
    return ask(S, W, Result, Lock);
  Result.MayExist = true;
  return false;
}

bool Downloads::isInCache(const WantedFile &W) {
  sys::fs::file_status Status;
  // elfutils' client creates an empty file to remember that there is none.
  if (sys::fs::status(W.path(), Status) || !sys::fs::is_regular_file(Status) ||
      Status.getSize() == 0)
    return false;
  if (W.IsRight(W.path()))
    return true;
  W.Warn(Protocol + ": the cache has another file for " + W.Subject);
  sys::fs::remove(W.path());
  return false;
}

DownloadedFile Downloads::get(const WantedFile &W) {
  DownloadedFile Result;
  if (isInCache(W)) {
    Result.Path = W.path();
    return Result;
  }
  for (Server &S : Servers)
    if (askUnlessFailed(S, W, Result)) {
      Result.Path = W.path();
      return Result;
    }
  // Fails if another process uses the folder.
  sys::fs::remove(W.Folder);
  return Result;
}
