//===- HTTPServer.cpp - HTTP by libmicrohttpd -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HTTPServer.h"
#include "Framing.h"
#include "OpenConnections.h"
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
  /// What the request's body uses of the memory for all.
  MemoryShare Memory;
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

static unsigned threadsOr(unsigned Asked) {
  return Asked ? Asked : hardware_concurrency().compute_thread_count();
}

class HTTPServer::Impl {
public:
  Impl(const ServerOptions &Options, HTTPHandlers Handlers)
      : Limits(Options.Limits), Upload(Options.Upload),
        Handlers(std::move(Handlers)),
        Connections(std::chrono::seconds(Limits.HeaderSeconds),
                    std::chrono::seconds(Limits.IdleSeconds)),
        Probes(/*Threads=*/2, Limits.MaxWaiting),
        LookUps(threadsOr(Options.Threads), Limits.MaxWaiting),
        Exports(threadsOr(Options.ExportThreads), Limits.MaxWaiting),
        Files(std::max(Options.SymbolizeThreads, 1u), Limits.MaxWaiting),
        Forwards(Options.Forward.empty() ? 1 : Options.ForwardThreads,
                 Limits.MaxWaiting),
        Uploads(std::max(Options.Conversion.Processes, 1u),
                Options.Conversion.MaxWaiting) {}
  ~Impl();

  /// Closes \p Socket if it fails.
  Error listen(int Socket, const TLSFiles &TLS);
  bool hasThreads() const {
    return Probes.hasThreads() && LookUps.hasThreads() &&
           Exports.hasThreads() && Files.hasThreads() &&
           Forwards.hasThreads() && Uploads.hasThreads();
  }
  void drain();
  Error setCertificate(const TLSFiles &TLS);
  HTTPGauges gauges() const;

private:
  static void *onURI(void *Self, const char *URI, MHD_Connection *);
  static MHD_Result onRequest(void *Self, MHD_Connection *Connection,
                              const char *, const char *Method,
                              const char *Version, const char *Data,
                              size_t *Size, void **State);
  static void onEnd(void *Self, MHD_Connection *, void **State,
                    MHD_RequestTerminationCode);
  static void onConnection(void *Self, MHD_Connection *, void **Context,
                           MHD_ConnectionNotificationCode);

  MHD_Result begin(MHD_Connection *Connection, Exchange &E, StringRef Method,
                   StringRef Version);
  MHD_Result takeBody(Exchange &E, StringRef Data);
  void takeUpload(Exchange &E, StringRef Data);
  void refuseBody(Exchange &E, HTTPResponse R);
  void enqueue(MHD_Connection *Connection, Exchange &E);
  void work(MHD_Connection *Connection, Exchange &E);
  void finish(MHD_Connection *Connection, Exchange &E, HTTPResponse R);
  const WorkQueue &queueOf(WorkKind Kind) const;
  WorkQueue &queueOf(WorkKind Kind) {
    return const_cast<WorkQueue &>(std::as_const(*this).queueOf(Kind));
  }
  MHD_Result answer(MHD_Connection *Connection, Exchange &E);
  MHD_Result send(MHD_Connection *Connection, Exchange &E);
  MHD_Response *makeResponse(HTTPResponse &R) const;
  void forgetBody(Exchange &E);
  void retire(std::vector<MHD_Daemon *> Old);
  uint64_t maxOf(const Exchange &E) const;
  HTTPResponse tooLarge(const Exchange &E) const;

  const ServerLimits Limits;
  const UploadOptions Upload;
  const HTTPHandlers Handlers;
  OpenConnections Connections;
  std::vector<MHD_Daemon *> Daemons;
  /// Those that only keep the connections they have, and the sockets that no
  /// daemon owns any more.
  std::vector<MHD_Daemon *> Retired;
  std::vector<int> Sockets;
  std::atomic<bool> IsDraining{false};
  std::atomic<bool> IsEnding{false};
  std::atomic<uint64_t> Requests{0};
  /// Of all uploads; they are on the disk.
  std::atomic<uint64_t> UploadBytes{0};
  WorkQueue Probes, LookUps, Exports, Files, Forwards, Uploads;
};

//===----------------------------------------------------------------------===//
// Reading requests
//===----------------------------------------------------------------------===//

/// What onConnection() has set.
static OpenConnections::Client *clientOf(MHD_Connection *Connection) {
  const MHD_ConnectionInfo *Info =
      MHD_get_connection_info(Connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return Info ? static_cast<OpenConnections::Client *>(Info->socket_context)
              : nullptr;
}

void HTTPServer::Impl::onConnection(void *Self, MHD_Connection *Connection,
                                    void **Context,
                                    MHD_ConnectionNotificationCode Code) {
  OpenConnections &All = static_cast<Impl *>(Self)->Connections;
  if (Code == MHD_CONNECTION_NOTIFY_CLOSED) {
    All.remove(static_cast<OpenConnections::Client *>(*Context));
    return;
  }
  const MHD_ConnectionInfo *FD =
      MHD_get_connection_info(Connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  const MHD_ConnectionInfo *Address =
      MHD_get_connection_info(Connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  *Context = All.add(FD ? FD->connect_fd : -1,
                     Address ? Address->client_addr : nullptr);
}

void *HTTPServer::Impl::onURI(void *Self, const char *URI,
                              MHD_Connection *Connection) {
  auto &P = *static_cast<Impl *>(Self);
  auto *E = new Exchange;
  ++P.Requests;
  E->Memory = MemoryShare(*P.Handlers.Memory);
  if (OpenConnections::Client *Client = clientOf(Connection)) {
    P.Connections.expectHeaders(*Client);
    E->Request.Peer = Client->Address;
  }
  auto [Path, Query] = StringRef(URI).split('?');
  E->Request.Path = Path.str();
  E->Request.Query = Query.str();
  return E;
}

static MHD_Result takeHeader(void *Framing, MHD_ValueKind, const char *Name,
                             const char *Value) {
  static_cast<RequestFraming *>(Framing)->add(Name, Value ? Value : "");
  return MHD_YES;
}

MHD_Result HTTPServer::Impl::begin(MHD_Connection *Connection, Exchange &E,
                                   StringRef Method, StringRef Version) {
  E.HasBegun = true;
  if (OpenConnections::Client *Client = clientOf(Connection))
    Connections.expectNothing(*Client);
  E.Request.Method = Method.str();
  RequestFraming Framing(E.Request);
  MHD_get_connection_values(Connection, MHD_HEADER_KIND, takeHeader, &Framing);
  uint64_t Length = 0;
  (void)E.Request.header("content-length").getAsInteger(10, Length);
  E.Response = Framing.refuse(Version);
  if (!E.Response)
    E.Response = Handlers.Begin(E.Request, E.Kind);
  if (!E.Response && Length > maxOf(E))
    E.Response = tooLarge(E);
  // If a body follows, sending the answer now ends the connection.
  return E.Response ? send(Connection, E) : MHD_YES;
}

MHD_Result HTTPServer::Impl::takeBody(Exchange &E, StringRef Data) {
  unsigned Max = E.isUpload() ? Upload.MaxSeconds : Limits.BodySeconds;
  if (Clock::now() - E.Start > std::chrono::seconds(Max))
    return MHD_NO;
  if (E.Response) {
    E.Ignored += Data.size();
    return E.Ignored > Limits.MaxBody ? MHD_NO : MHD_YES;
  }
  if (Data.size() > maxOf(E) - E.Request.bodySize()) {
    refuseBody(E, tooLarge(E));
    return MHD_YES;
  }
  if (E.isUpload())
    takeUpload(E, Data);
  else if (E.Memory.grow(Data.size()))
    E.Request.Body.append(Data.data(), Data.size());
  else
    refuseBody(E, HTTPResponse::busy());
  return MHD_YES;
}

/// Writes \p Data to the upload's file.
void HTTPServer::Impl::takeUpload(Exchange &E, StringRef Data) {
  E.Request.BodyFileSize += Data.size();
  if ((UploadBytes += Data.size()) > Upload.MaxSizes)
    return refuseBody(E, HTTPResponse::busy());
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
uint64_t HTTPServer::Impl::maxOf(const Exchange &E) const {
  return E.isUpload() ? Upload.MaxSize : Limits.MaxBody;
}

HTTPResponse HTTPServer::Impl::tooLarge(const Exchange &E) const {
  return HTTPResponse::error(413, "a request has at most " + Twine(maxOf(E)) +
                                      " bytes");
}

/// Discards the body, the rest of which may still arrive.
void HTTPServer::Impl::refuseBody(Exchange &E, HTTPResponse R) {
  forgetBody(E);
  E.Response = std::move(R);
}

void HTTPServer::Impl::forgetBody(Exchange &E) {
  std::string().swap(E.Request.Body);
  E.Memory.giveBack();
  UploadBytes -= std::exchange(E.Request.BodyFileSize, 0);
  E.Request.BodyFile.clear();
  E.File.reset();
}

MHD_Result HTTPServer::Impl::onRequest(void *Self, MHD_Connection *Connection,
                                       const char *, const char *Method,
                                       const char *Version, const char *Data,
                                       size_t *Size, void **State) {
  Impl &P = *static_cast<Impl *>(Self);
  Exchange &E = *static_cast<Exchange *>(*State);
  if (!E.HasBegun)
    return P.begin(Connection, E, Method, Version);
  if (*Size) {
    StringRef Piece(Data, *Size);
    *Size = 0;
    return P.takeBody(E, Piece);
  }
  return E.Response ? P.send(Connection, E) : P.answer(Connection, E);
}

void HTTPServer::Impl::onEnd(void *Self, MHD_Connection *Connection,
                             void **State, MHD_RequestTerminationCode) {
  auto *E = static_cast<Exchange *>(*State);
  if (!E)
    return;
  auto &P = *static_cast<Impl *>(Self);
  P.forgetBody(*E);
  delete E;
  --P.Requests;
  if (OpenConnections::Client *Client = clientOf(Connection))
    P.Connections.expectRequest(*Client);
  *State = nullptr;
}

//===----------------------------------------------------------------------===//
// Answering
//===----------------------------------------------------------------------===//

const WorkQueue &HTTPServer::Impl::queueOf(WorkKind Kind) const {
  switch (Kind) {
  case WorkKind::Now:
  case WorkKind::Probe:
    return Probes;
  case WorkKind::LookUp:
    return LookUps;
  case WorkKind::Export:
    return Exports;
  case WorkKind::Symbolize:
    return Files;
  case WorkKind::Forward:
    return Forwards;
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
  if (E.Kind == WorkKind::Now) {
    E.Response = std::get<HTTPResponse>(Handlers.Answer(E.Request));
    return send(Connection, E);
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
  E.Request.MayTakeLong = E.Kind == WorkKind::Export;
  Outcome Answer = Handlers.Answer(E.Request);
  if (auto *R = std::get_if<HTTPResponse>(&Answer))
    return finish(Connection, E, std::move(*R));
  if (auto *Kind = std::get_if<WorkKind>(&Answer)) {
    E.Kind = *Kind;
    return enqueue(Connection, E);
  }
  const auto &Fetch = std::get<FetchFirst>(Answer);
  if (++E.Passes > MaxPasses || !Fetch([=, &E] { enqueue(Connection, E); }))
    finish(Connection, E, HTTPResponse::busy());
}

/// Counts the body of \p R, which is compressed if the memory for all is not
/// plenty. Returns false if there is no room for it.
static bool takeMemory(HTTPResponse &R, MemoryBudget &All) {
  // Short answers are always sent, so that clients learn why others are not.
  constexpr size_t Short = 16 << 10, Large = 1 << 20;
  uint64_t Size = R.Body.size();
  R.Memory = MemoryShare(All);
  if (Size >= Large && All.used() + Size > All.max() / 4)
    R.Packed = PackedBody::pack(R.Body);
  if (!R.Packed)
    return Size <= Short || R.Memory.grow(Size);
  std::string().swap(R.Body);
  return R.Memory.grow(R.Packed->memory());
}

void HTTPServer::Impl::finish(MHD_Connection *Connection, Exchange &E,
                              HTTPResponse R) {
  E.Request.ReleasedSize += E.Request.Body.size();
  std::string().swap(E.Request.Body);
  E.Memory.giveBack();
  if (!takeMemory(R, *Handlers.Memory))
    R = HTTPResponse::busy();
  E.Response = std::move(R);
  E.File.reset();
  MHD_resume_connection(Connection);
}

static ssize_t sendNothing(void *, uint64_t, char *, size_t) {
  return MHD_CONTENT_READER_END_WITH_ERROR;
}

static MHD_Response *makePackedResponse(HTTPResponse &R) {
  constexpr size_t Piece = 32 << 10;
  using Sent = std::pair<std::shared_ptr<PackedBody>, MemoryShare>;
  auto Read = [](void *Of, uint64_t, char *To, size_t Max) -> ssize_t {
    ssize_t Count = static_cast<Sent *>(Of)->first->read(To, Max);
    return Count > 0 ? Count : ssize_t(MHD_CONTENT_READER_END_WITH_ERROR);
  };
  auto Free = [](void *Of) { delete static_cast<Sent *>(Of); };
  uint64_t Size = R.Packed->size();
  auto *Body = new Sent(std::move(R.Packed), std::move(R.Memory));
  return MHD_create_response_from_callback(Size, Piece, Read, Body, Free);
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
  if (R.Packed)
    return makePackedResponse(R);
  using Sent = std::pair<std::string, MemoryShare>;
  auto *Body = new Sent(std::move(R.Body), std::move(R.Memory));
  return MHD_create_response_from_buffer_with_free_callback_cls(
      Body->first.size(), Body->first.data(),
      [](void *Owned) { delete static_cast<Sent *>(Owned); }, Body);
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
  // No answer is to be taken for a page or a script.
  MHD_add_response_header(Response, "X-Content-Type-Options", "nosniff");
  if (IsDraining)
    MHD_add_response_header(Response, "Connection", "close");
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
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, Limits.MaxOfAddress,
      MHD_OPTION_URI_LOG_CALLBACK, &onURI, this, MHD_OPTION_NOTIFY_COMPLETED,
      &onEnd, this, MHD_OPTION_NOTIFY_CONNECTION, &onConnection, this,
      MHD_OPTION_UNESCAPE_CALLBACK, &keepEscapes, nullptr,
      // RequestFraming does more, with better answers.
      MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_ARRAY, More.data(),
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

/// Makes the daemons keep only the connections that they have.
void HTTPServer::Impl::retire(std::vector<MHD_Daemon *> Old) {
  for (MHD_Daemon *Daemon : Old) {
    if (int Socket = MHD_quiesce_daemon(Daemon); Socket >= 0)
      Sockets.push_back(Socket);
    Retired.push_back(Daemon);
  }
}

void HTTPServer::Impl::drain() {
  retire(std::exchange(Daemons, {}));
  IsDraining = true;
  Connections.drain();
}

Error HTTPServer::Impl::setCertificate(const TLSFiles &TLS) {
  // Both listen for a moment, so that no client is refused.
  std::vector<MHD_Daemon *> Old = std::exchange(Daemons, {});
  Error Result = Error::success();
  for (MHD_Daemon *Daemon : Old) {
    const MHD_DaemonInfo *Info =
        MHD_get_daemon_info(Daemon, MHD_DAEMON_INFO_LISTEN_FD);
    int Socket = Info ? ::fcntl(Info->listen_fd, F_DUPFD_CLOEXEC, 0) : -1;
    Result = Socket < 0 ? Error(make_error<SystemError>(errnoAsErrorCode(), ""))
                        : listen(Socket, TLS);
    if (Result)
      break;
  }
  if (Result)
    std::swap(Old, Daemons);
  retire(std::move(Old));
  return Result;
}

HTTPGauges HTTPServer::Impl::gauges() const {
  HTTPGauges G;
  G.Connections = Connections.count();
  G.Requests = Requests;
  for (size_t I = 0; I != G.Waiting.size(); ++I)
    if (WorkKind(I) != WorkKind::Now)
      G.Waiting[I] = queueOf(WorkKind(I)).waiting();
  return G;
}

HTTPServer::Impl::~Impl() {
  drain();
  // A daemon must not be stopped while one of its connections is suspended.
  IsEnding = true;
  for (WorkQueue *Queue :
       {&Probes, &LookUps, &Exports, &Files, &Forwards, &Uploads})
    Queue->finish();
  for (MHD_Daemon *Daemon : Retired)
    MHD_stop_daemon(Daemon);
  // The daemons' threads may use the sockets until here.
  for (int Socket : Sockets)
    ::close(Socket);
}

HTTPServer::HTTPServer(std::unique_ptr<Impl> P) : P(std::move(P)) {}
HTTPServer::~HTTPServer() = default;

void HTTPServer::drain() { P->drain(); }
Error HTTPServer::setCertificate(const TLSFiles &TLS) {
  return P->setCertificate(TLS);
}
HTTPGauges HTTPServer::gauges() const { return P->gauges(); }

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
