//===- MinidumpReader.cpp - Parts of a minidump by offset -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MinidumpReader.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;
using namespace llvm::minidump;

namespace lidia {

/// The maximum size of a stream of lists and texts. Only memory is larger, and
/// it is not read here.
static constexpr size_t MaxOfStream = size_t(64) << 20;

/// The longest path of Windows, in bytes of UTF-16.
static constexpr size_t MaxOfText = 1 << 16;

Expected<Header> MinidumpReader::readDirectory() {
  Header H;
  if (!read(0, H))
    return make_error<DamagedError>(Path, "the minidump's header is truncated");
  if (H.Signature != Header::MagicSignature) {
    if (H.Signature == byteswap<uint32_t>(Header::MagicSignature))
      return make_error<UnsupportedError>(
          Path, "a minidump of a big-endian system, which is not supported");
    return make_error<UnsupportedError>(Path, "not a minidump");
  }
  LocationDescriptor Where;
  Where.RVA = H.StreamDirectoryRVA;
  uint64_t Size = uint64_t(H.NumberOfStreams) * sizeof(Directory);
  Where.DataSize = uint32_t(std::min<uint64_t>(Size, MaxOfStream));
  std::vector<uint8_t> Bytes = bytes(Where, MaxOfStream);
  if (Size != 0 && Bytes.empty())
    return make_error<DamagedError>(
        Path, "the minidump's list of streams is not in the file");
  for (const Directory &D : entries<Directory>(Bytes, H.NumberOfStreams,
                                               sizeof(Directory), "streams"))
    Streams.try_emplace(uint32_t(StreamType(D.Type)), D.Location);
  return H;
}

std::vector<uint8_t> MinidumpReader::bytes(LocationDescriptor Where,
                                           size_t Max) const {
  uint64_t Begin = Where.RVA;
  if (Begin >= FileSize)
    return {};
  std::vector<uint8_t> Bytes(
      std::min<uint64_t>({Where.DataSize, FileSize - Begin, Max}));
  Bytes.resize(File.read(Begin, Bytes));
  return Bytes;
}

std::vector<uint8_t> MinidumpReader::stream(StreamType Type) const {
  auto Found = Streams.find(uint32_t(Type));
  if (Found == Streams.end())
    return {};
  return bytes(Found->second, MaxOfStream);
}

std::string MinidumpReader::textStream(StreamType Type) const {
  std::vector<uint8_t> Bytes = stream(Type);
  return toStringRef(Bytes).take_until([](char C) { return C == 0; }).str();
}

std::string textOfUTF16(ArrayRef<uint8_t> Bytes) {
  std::vector<UTF16> Units;
  for (; Bytes.size() >= 2; Bytes = Bytes.drop_front(2)) {
    Units.push_back(support::endian::read16le(Bytes.data()));
    if (Units.back() == 0) {
      Units.pop_back();
      break;
    }
  }
  std::string Text(Units.size() * UNI_MAX_UTF8_BYTES_PER_CODE_POINT, '\0');
  const UTF16 *From = Units.data();
  auto *To = reinterpret_cast<UTF8 *>(Text.data());
  UTF8 *Begin = To;
  ConvertUTF16toUTF8(&From, From + Units.size(), &To, To + Text.size(),
                     lenientConversion);
  Text.resize(To - Begin);
  return Text;
}

/// Reads bytes that follow their number, in 32 bits.
std::vector<uint8_t> MinidumpReader::countedBytes(uint64_t Offset) {
  support::ulittle32_t Size;
  if (Offset == 0 || !read(Offset, Size))
    return {};
  uint64_t Wanted = std::min<uint64_t>(Size, MaxOfText);
  if (Wanted > TextLeft) {
    if (TextLeft)
      warn("its texts have more bytes than the file: the rest of them is left "
           "out");
    TextLeft = 0;
    return {};
  }
  TextLeft -= Wanted;
  std::vector<uint8_t> Bytes(Wanted);
  Bytes.resize(File.read(Offset + sizeof(Size), Bytes));
  return Bytes;
}

std::string MinidumpReader::text(uint64_t Offset) {
  return textOfUTF16(countedBytes(Offset));
}

std::string MinidumpReader::textUTF8(uint64_t Offset) {
  std::vector<uint8_t> Bytes = countedBytes(Offset);
  return toStringRef(Bytes).take_until([](char C) { return C == 0; }).str();
}

} // namespace lidia
