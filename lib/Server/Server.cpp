//===- Server.cpp - A store over HTTP -------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Server/Server.h"
#include "Access.h"
#include "AccessLog.h"
#include "Listen.h"
#include "Service.h"
#include "UseRecorder.h"
#include "lidia/Error.h"
#include "lidia/Store/BuildIDLists.h"
#include "lidia/Store/OpenArchive.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <sys/resource.h>
#include <unistd.h>

using namespace lidia;
using namespace llvm;

class Server::Impl {
public:
  Impl(const ServerOptions &Options, TLSFiles TLS,
       std::unique_ptr<SymbolStore> Store)
      : S(Options, std::move(Store)), TLS(std::move(TLS)) {}
  /// Cancels the work that requests wait for.
  ~Impl() { S.stop(); }

  Error start(ArrayRef<ListeningSocket> Sockets);
  void recordUses(Log::Writer Warn) {
    constexpr unsigned Hour = 3600;
    Uses.emplace(S.Modules, S.Options.RecordUseSeconds.value_or(Hour),
                 std::move(Warn));
  }
  void drain() { HTTP->drain(); }
  Error reload(const ServerOptions &Options);

  Service S;
  std::vector<std::string> URLs;

private:
  HTTPHandlers handlers();
  Outcome answerRequest(const HTTPRequest &Request);
  void note(const HTTPRequest &Request, const HTTPResponse &R, double Seconds);

  TLSFiles TLS;
  /// Whether other machines can reach a socket.
  bool IsOpen = false;
  std::optional<UseRecorder> Uses;
  /// The same as HTTP, for its own threads.
  std::atomic<const HTTPServer *> Running{nullptr};
  /// The last member, because its threads use the others.
  std::unique_ptr<HTTPServer> HTTP;
};

//===----------------------------------------------------------------------===//
// Answering
//===----------------------------------------------------------------------===//

Outcome Server::Impl::answerRequest(const HTTPRequest &Request) {
  Outcome A = answer(S, Request);
  if (auto *R = std::get_if<HTTPResponse>(&A)) {
    applyConditions(Request, *R);
    compressBody(Request, *R);
    addCrossOriginHeaders(S.Options, Request, *R);
  }
  return A;
}

void Server::Impl::note(const HTTPRequest &Request, const HTTPResponse &R,
                        double Seconds) {
  if (S.Options.AccessLog != AccessLogFormat::None)
    S.Log.Request(accessLine(S.Options.AccessLog, Request, R, Seconds));
  // A request that is broken has no endpoint: it counts as any other.
  const Endpoint &E = Request.Route ? *Request.Route : endpoints().back();
  S.Statistics.Endpoints[size_t(&E - endpoints().data())].note(
      R.Status, Seconds, Request.bodySize(), R.size());
}

HTTPHandlers Server::Impl::handlers() {
  HTTPHandlers H;
  H.Begin = [this](HTTPRequest &Request, WorkKind &Kind) {
    const Endpoint &E = route(Request);
    Kind = E.Kind;
    Request.ForwardedFor =
        S.UpstreamServers.forwardedFor(Request.header("x-forwarded-for"));
    findToken(S.Tokens, Request);
    return refuse(S.Options, S.Tokens, Request, E.Who);
  };
  H.Answer = [this](const HTTPRequest &Request) {
    return answerRequest(Request);
  };
  H.Note = [this](const HTTPRequest &Request, const HTTPResponse &R,
                  double Seconds) { note(Request, R, Seconds); };
  H.UploadFolder = S.Converter.folder();
  H.Memory = &S.Memory;
  return H;
}

//===----------------------------------------------------------------------===//
// Starting
//===----------------------------------------------------------------------===//

static Error readFile(StringRef Path, std::string &Text) {
  if (Path.empty())
    return Error::success();
  constexpr uint64_t Max = 1 << 20;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return make_error<SystemError>(Buffer.getError(), Path);
  if ((*Buffer)->getBufferSize() > Max)
    return make_error<ArgumentError>(Path, "not a PEM file");
  Text = (*Buffer)->getBuffer().str();
  return Error::success();
}

Error Server::Impl::start(ArrayRef<ListeningSocket> Sockets) {
  const ServerOptions &O = S.Options;
  StringRef Scheme = O.KeyFile.empty() ? "http://" : "https://";
  std::vector<int> Descriptors;
  for (const ListeningSocket &Socket : Sockets) {
    Descriptors.push_back(Socket.Descriptor);
    IsOpen |= !Socket.IsLocal;
    bool IsUnix = StringRef(Socket.Address).starts_with("unix:");
    URLs.push_back(IsUnix ? Socket.Address : (Scheme + Socket.Address).str());
  }
  // The first request may come before start() returns.
  S.Gauges = [this] {
    const HTTPServer *Now = Running;
    return Now ? Now->gauges() : HTTPGauges();
  };
  Expected<std::unique_ptr<HTTPServer>> Started =
      HTTPServer::start(Descriptors, O, TLS, handlers());
  if (!Started)
    return Started.takeError();
  HTTP = std::move(*Started);
  Running = HTTP.get();
  return Error::success();
}

/// Checks \p Options, except those of the store.
static Error checkOptions(const ServerOptions &O) {
  if (O.CertificateFile.empty() != O.KeyFile.empty())
    return make_error<ArgumentError>(
        "", "TLS needs both a certificate and its key");
  if (O.fillsStore() && isURL(O.Store) &&
      !StringRef(O.Store).starts_with_insensitive("s3://"))
    return make_error<ArgumentError>("",
                                     "cannot write to a store behind another "
                                     "server: name a folder or a bucket");
  return Error::success();
}

/// Limits the number of connections by the process's limit of open files: each
/// needs its socket and the file of its answer's body, in addition to the
/// store's files. Beyond the limit, connections would end without an answer.
static void boundConnections(unsigned &MaxConnections,
                             const Server::Log::Writer &Warn) {
  constexpr rlim_t ForStore = 256, Least = 64;
  bool IsDefault = MaxConnections == 0;
  unsigned Asked = IsDefault ? 4096 : MaxConnections;
  MaxConnections = Asked;
  struct rlimit Limit;
  if (::getrlimit(RLIMIT_NOFILE, &Limit) != 0)
    return;
  rlim_t Left = (std::max(Limit.rlim_cur, ForStore) - ForStore) / 2;
  MaxConnections = std::min<rlim_t>(Asked, std::max(Left, Least));
  if (!IsDefault && MaxConnections != Asked)
    Warn("the system allows this process " + std::to_string(Limit.rlim_cur) +
         " open files: at most " + std::to_string(MaxConnections) +
         " connections at one time");
}

/// Reads the files that \p O names.
static Expected<TLSFiles> readTLS(const ServerOptions &O) {
  TLSFiles TLS;
  if (Error E = readFile(O.CertificateFile, TLS.Certificate))
    return E;
  if (Error E = readFile(O.KeyFile, TLS.Key))
    return E;
  return TLS;
}

Error Server::Impl::reload(const ServerOptions &New) {
  if (IsOpen && !New.IsPublic && !ServerOptions::needsTokenToRead(New.Tokens))
    return make_error<ArgumentError>(
        "", "other machines can reach this server: a token must be for reading "
            "(--read-token)");
  if (ServerOptions::mayAnyoneWrite(New.Tokens) && !S.Options.fillsStore())
    return make_error<ArgumentError>(
        "", "to take uploads, the server must be started again");
  Expected<TLSFiles> Read = readTLS(New);
  if (!Read)
    return Read.takeError();
  bool IsSame = Read->Certificate == TLS.Certificate && Read->Key == TLS.Key;
  if (!IsSame)
    if (Error E = HTTP->setCertificate(*Read))
      return E;
  TLS = std::move(*Read);
  S.Tokens.set(New.Tokens);
  return Error::success();
}

/// Checks that the server may listen on all of \p Sockets; closes them
/// otherwise.
static Error checkSockets(const ServerOptions &O,
                          ArrayRef<ListeningSocket> Sockets) {
  const ListeningSocket *Open = find_if(
      Sockets, [](const ListeningSocket &Socket) { return !Socket.IsLocal; });
  if (Open == Sockets.end() || O.IsPublic ||
      ServerOptions::needsTokenToRead(O.Tokens))
    return Error::success();
  std::string Address = Open->Address;
  for (const ListeningSocket &Socket : Sockets)
    ::close(Socket.Descriptor);
  return make_error<ArgumentError>(
      Address, "other machines can reach this address: require a token "
               "(--read-token), or let everybody read (--public)");
}

/// Opens the store, which may be empty if the server itself fills it.
static Expected<std::unique_ptr<SymbolStore>>
openServedStore(const ServerOptions &O,
                const SymbolStoreOptions &StoreOptions) {
  Expected<std::unique_ptr<SymbolStore>> Store =
      openFilledStore(O.Store, StoreOptions);
  if (Store || !O.fillsStore())
    return Store;
  std::unique_ptr<LidiaError> Why = toLidiaError(Store.takeError());
  if (Why->convertToErrorCode() != std::errc::no_such_file_or_directory)
    return Error(std::move(Why));
  return SymbolStore::open(O.Store, StoreOptions);
}

Server::Server(std::unique_ptr<Impl> P) : P(std::move(P)) {}
Server::~Server() = default;

const std::vector<std::string> &Server::urls() const { return P->URLs; }
void Server::drain() { P->drain(); }
uint64_t Server::requests() const { return P->S.Gauges().Requests; }
Error Server::reload(const ServerOptions &Options) {
  return P->reload(Options);
}

Expected<std::unique_ptr<Server>> Server::start(const ServerOptions &Asked,
                                                Log Log) {
  if (Error E = checkOptions(Asked))
    return E;
  ServerOptions Options = Asked;
  boundConnections(Options.Limits.MaxConnections, Log.Warn);
  if (!Options.Limits.MaxOfAddress)
    Options.Limits.MaxOfAddress = Options.Limits.MaxConnections / 4 * 3;
  Expected<TLSFiles> TLS = readTLS(Options);
  if (!TLS)
    return TLS.takeError();
  SymbolStoreOptions StoreOptions;
  StoreOptions.MaxArchives = Options.MaxModules;
  // ServedModules keeps them open.
  StoreOptions.KeepOpen = false;
  Expected<std::unique_ptr<SymbolStore>> Store =
      openServedStore(Options, StoreOptions);
  if (!Store)
    return Store.takeError();
  Expected<std::vector<ListeningSocket>> Sockets = openSockets(Options.Listen);
  if (!Sockets)
    return Sockets.takeError();
  if (Error E = checkSockets(Options, *Sockets))
    return E;
  auto P = std::make_unique<Impl>(Options, std::move(*TLS), std::move(*Store));
  P->S.Log = Log;
  P->S.Files.setWarningHandler(
      [Warn = Log.Warn](const Twine &Message) { Warn(Message.str()); });
  P->S.Watch.start(Log.Warn, Log.Note);
  if (Options.fillsStore())
    if (Error E = P->S.openUpstream(Log.Warn))
      return E;
  if (Error E = P->start(*Sockets))
    return E;
  if (Options.RecordUseSeconds ? *Options.RecordUseSeconds != 0
                               : isRecordable(*P->S.Store))
    P->recordUses(Log.Warn);
  return std::unique_ptr<Server>(new Server(std::move(P)));
}
