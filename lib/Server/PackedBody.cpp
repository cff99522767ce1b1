//===- PackedBody.cpp - An answer that is unpacked as it is sent ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedBody.h"

using namespace llvm;

namespace lidia {

/// Each reader needs a window of this size.
static constexpr int WindowLog = 17;

std::unique_ptr<PackedBody> PackedBody::pack(StringRef Text) {
  auto Free = [](ZSTD_CCtx *Context) { ::ZSTD_freeCCtx(Context); };
  std::unique_ptr<ZSTD_CCtx, decltype(Free)> With(::ZSTD_createCCtx(), Free);
  auto Body = std::make_unique<PackedBody>();
  Body->Context.reset(::ZSTD_createDCtx());
  if (!With || !Body->Context)
    return nullptr;
  constexpr int FastLevel = 1;
  (void)::ZSTD_CCtx_setParameter(With.get(), ZSTD_c_compressionLevel,
                                 FastLevel);
  (void)::ZSTD_CCtx_setParameter(With.get(), ZSTD_c_windowLog, WindowLog);
  Body->Packed.resize(::ZSTD_compressBound(Text.size()));
  size_t Size = ::ZSTD_compress2(With.get(), Body->Packed.data(),
                                 Body->Packed.size(), Text.data(), Text.size());
  if (::ZSTD_isError(Size))
    return nullptr;
  Body->Packed.resize(Size);
  Body->Packed.shrink_to_fit();
  Body->Size = Text.size();
  return Body;
}

uint64_t PackedBody::memory() const {
  // The reader's own, by zstd's documentation.
  constexpr uint64_t OfContext = 192 << 10;
  return Packed.size() + (uint64_t(1) << WindowLog) + OfContext;
}

ssize_t PackedBody::read(char *To, size_t Max) {
  ZSTD_outBuffer Out = {To, Max, 0};
  ZSTD_inBuffer In = {Packed.data(), Packed.size(), Position};
  while (Out.pos != Out.size) {
    size_t Before = Out.pos;
    size_t Left = ::ZSTD_decompressStream(Context.get(), &Out, &In);
    if (::ZSTD_isError(Left))
      return -1;
    if (Left == 0 || (In.pos == In.size && Out.pos == Before))
      break;
  }
  Position = In.pos;
  return ssize_t(Out.pos);
}

} // namespace lidia
