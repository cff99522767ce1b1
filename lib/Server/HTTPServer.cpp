//===- HTTPServer.cpp - HTTP by libmicrohttpd -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HTTPServer.h"
#include "WorkQueue.h"
#include "lidia/Error.h"
#include "lidia/Support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Threading.h"
#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <microhttpd.h>
#include <unistd.h>

using namespace llvm;
using namespace lidia;

using Clock = std::chrono::steady_clock;

namespace {
/// A request in progress, and its answer.
struct Exchange {
  HTTPRequest Request;
  std::optional<HTTPResponse> Response;
  /// The body of an upload.
  std::optional<UnfinishedFile> File;
  bool HasBegun = false;
  WorkKind Kind = WorkKind::LookUp;
  /// How many times something was fetched for the answer.
  unsigned Passes = 0;
  bool IsSent = false;
  /// Bytes of the body that were discarded because the answer is known.
  uint64_t Ignored = 0;
  Clock::time_point Start = Clock::now();

  bool isUpload() const { return Kind == WorkKind::Upload; }
};
} // namespace

class HTTPServer::Impl {
public:
  Impl(const ServerOptions &Options, HTTPHandlers Handlers)
      : Limits(Options.Limits), Upload(Options.Upload),
        Handlers(std::move(Handlers)),
        LookUps(Options.Threads ? Options.Threads
                                : hardware_concurrency().compute_thread_count(),
                Limits.MaxWaiting),
        Exports(std::max(Options.ExportThreads, 1u), Limits.MaxWaiting),
        Files(std::max(Options.SymbolizeThreads, 1u), Limits.MaxWaiting),
        Uploads(std::max(Options.Conversion.Processes, 1u),
                Options.Conversion.MaxWaiting) {}
  ~Impl();

  Error listen(int Socket, const TLSFiles &TLS);
  bool hasThreads() const {
    return LookUps.hasThreads() && Exports.hasThreads() && Files.hasThreads() &&
           Uploads.hasThreads();
  }

private:
  static void *onURI(void *, const char *URI, MHD_Connection *);
  static MHD_Result onRequest(void *Self, MHD_Connection *Connection,
                              const char *, const char *Method, const char *,
                              const char *Data, size_t *Size, void **State);
  static void onEnd(void *Self, MHD_Connection *, void **State,
                    MHD_RequestTerminationCode);

  MHD_Result begin(MHD_Connection *Connection, Exchange &E, StringRef Method);
  MHD_Result takeBody(Exchange &E, StringRef Data);
  void takeUpload(Exchange &E, StringRef Data);
  void refuseBody(Exchange &E, HTTPResponse R);
  void enqueue(MHD_Connection *Connection, Exchange &E);
  void work(MHD_Connection *Connection, Exchange &E);
  void finish(MHD_Connection *Connection, Exchange &E, HTTPResponse R);
  WorkQueue &queueOf(WorkKind Kind);
  MHD_Result answer(MHD_Connection *Connection, Exchange &E);
  MHD_Result send(MHD_Connection *Connection, Exchange &E);
  MHD_Response *makeResponse(HTTPResponse &R) const;
  void forgetBody(Exchange &E);
  uint64_t mostOf(const Exchange &E) const;
  HTTPResponse tooLarge(const Exchange &E) const;

  const ServerLimits Limits;
  const UploadOptions Upload;
  const HTTPHandlers Handlers;
  std::vector<MHD_Daemon *> Daemons;
  std::atomic<bool> IsEnding{false};
  /// The sum for all current requests.
  std::atomic<uint64_t> BodyBytes{0};
  /// The same for uploads, which are on the disk.
  std::atomic<uint64_t> UploadBytes{0};
  WorkQueue LookUps, Exports, Files, Uploads;
};

//===----------------------------------------------------------------------===//
// Reading requests
//===----------------------------------------------------------------------===//

void *HTTPServer::Impl::onURI(void *, const char *URI, MHD_Connection *) {
  auto *E = new Exchange;
  auto [Path, Query] = StringRef(URI).split('?');
  E->Request.Path = Path.str();
  E->Request.Query = Query.str();
  return E;
}

static MHD_Result takeHeader(void *Request, MHD_ValueKind, const char *Name,
                             const char *Value) {
  static_cast<HTTPRequest *>(Request)->Headers[StringRef(Name).lower()] =
      Value ? Value : "";
  return MHD_YES;
}

MHD_Result HTTPServer::Impl::begin(MHD_Connection *Connection, Exchange &E,
                                   StringRef Method) {
  E.HasBegun = true;
  E.Request.Method = Method.str();
  MHD_get_connection_values(Connection, MHD_HEADER_KIND, takeHeader,
                            &E.Request);
  uint64_t Length = 0;
  (void)E.Request.header("content-length").getAsInteger(10, Length);
  E.Response = Handlers.Begin(E.Request, E.Kind);
  if (!E.Response && Length > mostOf(E))
    E.Response = tooLarge(E);
  // If a body follows, sending the answer now ends the connection.
  return E.Response ? send(Connection, E) : MHD_YES;
}

MHD_Result HTTPServer::Impl::takeBody(Exchange &E, StringRef Data) {
  unsigned Most = E.isUpload() ? Upload.MaxSeconds : Limits.BodySeconds;
  if (Clock::now() - E.Start > std::chrono::seconds(Most))
    return MHD_NO;
  if (E.Response) {
    E.Ignored += Data.size();
    return E.Ignored > Limits.MaxBody ? MHD_NO : MHD_YES;
  }
  if (Data.size() > mostOf(E) - E.Request.bodySize()) {
    refuseBody(E, tooLarge(E));
    return MHD_YES;
  }
  std::atomic<uint64_t> &All = E.isUpload() ? UploadBytes : BodyBytes;
  uint64_t MaxOfAll = E.isUpload() ? Upload.MaxSizes : Limits.MaxBodies;
  if (All += Data.size(); All > MaxOfAll) {
    All -= Data.size();
    refuseBody(E, HTTPResponse::busy());
    return MHD_YES;
  }
  if (E.isUpload())
    takeUpload(E, Data);
  else
    E.Request.Body.append(Data.data(), Data.size());
  return MHD_YES;
}

/// Writes \p Data to the upload's file. Its bytes are already counted.
void HTTPServer::Impl::takeUpload(Exchange &E, StringRef Data) {
  E.Request.BodyFileSize += Data.size();
  std::error_code EC;
  if (!E.File) {
    OutputFileOptions Output;
    Output.RemoveOnSignals = true;
    ErrorOr<UnfinishedFile> File = UnfinishedFile::create(
        Handlers.UploadFolder, "upload-", "", 0600, Output);
    EC = File.getError();
    if (File)
      E.File.emplace(std::move(*File));
  }
  if (!EC &&
      sys::RetryAfterSignal(-1, ::write, E.File->descriptor(), Data.data(),
                            Data.size()) != ssize_t(Data.size()))
    EC = std::make_error_code(std::errc::no_space_on_device);
  if (EC)
    refuseBody(E,
               HTTPResponse::error(507, "insufficient storage on the server"));
}

/// The maximum size of the body.
uint64_t HTTPServer::Impl::mostOf(const Exchange &E) const {
  return E.isUpload() ? Upload.MaxSize : Limits.MaxBody;
}

HTTPResponse HTTPServer::Impl::tooLarge(const Exchange &E) const {
  return HTTPResponse::error(413, "a request has at most " + Twine(mostOf(E)) +
                                      " bytes");
}

/// Discards the body, the rest of which may still arrive.
void HTTPServer::Impl::refuseBody(Exchange &E, HTTPResponse R) {
  forgetBody(E);
  E.Response = std::move(R);
}

void HTTPServer::Impl::forgetBody(Exchange &E) {
  BodyBytes -= E.Request.Body.size();
  std::string().swap(E.Request.Body);
  UploadBytes -= std::exchange(E.Request.BodyFileSize, 0);
  E.Request.BodyFile.clear();
  E.File.reset();
}

MHD_Result HTTPServer::Impl::onRequest(void *Self, MHD_Connection *Connection,
                                       const char *, const char *Method,
                                       const char *, const char *Data,
                                       size_t *Size, void **State) {
  Impl &P = *static_cast<Impl *>(Self);
  Exchange &E = *static_cast<Exchange *>(*State);
  if (!E.HasBegun)
    return P.begin(Connection, E, Method);
  if (*Size) {
    StringRef Piece(Data, *Size);
    *Size = 0;
    return P.takeBody(E, Piece);
  }
  return E.Response ? P.send(Connection, E) : P.answer(Connection, E);
}

void HTTPServer::Impl::onEnd(void *Self, MHD_Connection *, void **State,
                             MHD_RequestTerminationCode) {
  auto *E = static_cast<Exchange *>(*State);
  if (!E)
    return;
  static_cast<Impl *>(Self)->forgetBody(*E);
  delete E;
  *State = nullptr;
}

//===----------------------------------------------------------------------===//
// Answering
//===----------------------------------------------------------------------===//

WorkQueue &HTTPServer::Impl::queueOf(WorkKind Kind) {
  switch (Kind) {
  case WorkKind::LookUp:
    return LookUps;
  case WorkKind::Export:
    return Exports;
  case WorkKind::Symbolize:
    return Files;
  case WorkKind::Upload:
    return Uploads;
  }
  llvm_unreachable("no other kind");
}

/// Lets another thread answer; the connection is suspended until then.
MHD_Result HTTPServer::Impl::answer(MHD_Connection *Connection, Exchange &E) {
  if (E.File) {
    if (E.File->close()) {
      refuseBody(
          E, HTTPResponse::error(507, "insufficient storage on the server"));
      return send(Connection, E);
    }
    E.Request.BodyFile = E.File->path();
  }
  MHD_suspend_connection(Connection);
  enqueue(Connection, E);
  return MHD_YES;
}

void HTTPServer::Impl::enqueue(MHD_Connection *Connection, Exchange &E) {
  bool IsFirst = E.Passes == 0;
  if (IsEnding || !queueOf(E.Kind).add([=, &E] { work(Connection, E); },
                                       /*Always=*/!IsFirst))
    finish(Connection, E, HTTPResponse::busy());
}

/// Runs on a worker: answers the request, or fetches what the answer lacks.
void HTTPServer::Impl::work(MHD_Connection *Connection, Exchange &E) {
  // A source file can be fetched when the archive that names it was, and of
  // very many files only a part is fetched at one time.
  constexpr unsigned MaxPasses = 4;
  auto Answer = Handlers.Answer(E.Request);
  if (auto *R = std::get_if<HTTPResponse>(&Answer))
    return finish(Connection, E, std::move(*R));
  const auto &Fetch = std::get<FetchFirst>(Answer);
  if (++E.Passes > MaxPasses || !Fetch([=, &E] { enqueue(Connection, E); }))
    finish(Connection, E, HTTPResponse::busy());
}

void HTTPServer::Impl::finish(MHD_Connection *Connection, Exchange &E,
                              HTTPResponse R) {
  E.Response = std::move(R);
  E.File.reset();
  MHD_resume_connection(Connection);
}

static ssize_t sendNothing(void *, uint64_t, char *, size_t) {
  return MHD_CONTENT_READER_END_WITH_ERROR;
}

MHD_Response *HTTPServer::Impl::makeResponse(HTTPResponse &R) const {
  if (R.File) {
    int FD = ::fcntl(R.File->Descriptor, F_DUPFD_CLOEXEC, 0);
    if (FD < 0)
      return nullptr;
    // The response closes the descriptor.
    return MHD_create_response_from_fd_at_offset64(R.FileSize, FD,
                                                   R.FileOffset);
  }
  if (R.SizeOnly)
    return MHD_create_response_from_callback(*R.SizeOnly, /*block_size=*/1,
                                             sendNothing, nullptr, nullptr);
  auto *Body = new std::string(std::move(R.Body));
  return MHD_create_response_from_buffer_with_free_callback_cls(
      Body->size(), Body->data(),
      [](void *Owned) { delete static_cast<std::string *>(Owned); }, Body);
}

MHD_Result HTTPServer::Impl::send(MHD_Connection *Connection, Exchange &E) {
  HTTPResponse &R = *E.Response;
  if (!E.IsSent)
    Handlers.Note(
        E.Request, R,
        std::chrono::duration<double>(Clock::now() - E.Start).count());
  E.IsSent = true;
  unsigned Status = R.Status;
  MHD_Response *Response = makeResponse(R);
  if (!Response)
    return MHD_NO;
  if (!R.ContentType.empty() && Status != 304)
    MHD_add_response_header(Response, "Content-Type", R.ContentType.c_str());
  for (const auto &[Name, Value] : R.Headers)
    MHD_add_response_header(Response, Name.c_str(), Value.c_str());
  MHD_Result Result = MHD_queue_response(Connection, Status, Response);
  MHD_destroy_response(Response);
  return Result;
}

//===----------------------------------------------------------------------===//
// Starting and ending
//===----------------------------------------------------------------------===//

/// Keeps escapes, because endpoints decode the paths.
static size_t keepEscapes(void *, MHD_Connection *, char *Text) {
  return ::strlen(Text);
}

Error HTTPServer::Impl::listen(int Socket, const TLSFiles &TLS) {
  constexpr unsigned PoolThreads = 2;
  unsigned Flags =
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
  std::vector<MHD_OptionItem> More;
  if (!TLS.Key.empty()) {
    if (MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
      return make_error<UnsupportedError>(
          "", "this libmicrohttpd was built without TLS");
    Flags |= MHD_USE_TLS;
    More.push_back(
        {MHD_OPTION_HTTPS_MEM_KEY, 0, const_cast<char *>(TLS.Key.c_str())});
    More.push_back({MHD_OPTION_HTTPS_MEM_CERT, 0,
                    const_cast<char *>(TLS.Certificate.c_str())});
  }
  More.push_back({MHD_OPTION_END, 0, nullptr});
  MHD_Daemon *Daemon = MHD_start_daemon(
      Flags, 0, nullptr, nullptr, &onRequest, this, MHD_OPTION_LISTEN_SOCKET,
      Socket, MHD_OPTION_THREAD_POOL_SIZE, PoolThreads,
      MHD_OPTION_CONNECTION_LIMIT, std::max(Limits.MaxConnections, PoolThreads),
      MHD_OPTION_CONNECTION_TIMEOUT, Limits.IdleSeconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, size_t(Limits.MaxHeaders),
      MHD_OPTION_URI_LOG_CALLBACK, &onURI, this, MHD_OPTION_NOTIFY_COMPLETED,
      &onEnd, this, MHD_OPTION_UNESCAPE_CALLBACK, &keepEscapes, nullptr,
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY, More.data(),
      MHD_OPTION_END);
  if (!Daemon) {
    ::close(Socket);
    return make_error<SystemError>(
        std::error_code(errno ? errno : EINVAL, std::generic_category()), "",
        TLS.Key.empty() ? "the server cannot be started"
                        : "the server cannot be started: are the certificate "
                          "and its key in PEM, and do they belong together?");
  }
  Daemons.push_back(Daemon);
  return Error::success();
}

HTTPServer::Impl::~Impl() {
  // A daemon must not be stopped while one of its connections is suspended.
  IsEnding = true;
  std::vector<int> Sockets;
  for (MHD_Daemon *Daemon : Daemons)
    if (int Socket = MHD_quiesce_daemon(Daemon); Socket >= 0)
      Sockets.push_back(Socket);
  LookUps.finish();
  Exports.finish();
  Files.finish();
  Uploads.finish();
  for (MHD_Daemon *Daemon : Daemons)
    MHD_stop_daemon(Daemon);
  // The daemons' threads may use the sockets until here.
  for (int Socket : Sockets)
    ::close(Socket);
}

HTTPServer::HTTPServer(std::unique_ptr<Impl> P) : P(std::move(P)) {}
HTTPServer::~HTTPServer() = default;

Expected<std::unique_ptr<HTTPServer>>
HTTPServer::start(ArrayRef<int> Sockets, const ServerOptions &Options,
                  const TLSFiles &TLS, HTTPHandlers Handlers) {
  auto P = std::make_unique<Impl>(Options, std::move(Handlers));
  Error Result = Error::success();
  if (!P->hasThreads())
    Result = make_error<SystemError>(
        std::make_error_code(std::errc::resource_unavailable_try_again), "",
        "the system has no more threads");
  for (int Socket : Sockets) {
    if (Result)
      ::close(Socket);
    else
      Result = P->listen(Socket, TLS);
  }
  if (Result)
    return Result;
  return std::unique_ptr<HTTPServer>(new HTTPServer(std::move(P)));
}
