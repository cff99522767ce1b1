//===- Checksum.cpp - CRC-32C ---------------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checksum.h"
#include "llvm/Support/Endian.h"
#include <array>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

using namespace lidia;
using llvm::StringRef;
using llvm::support::endian::read32le;
using llvm::support::endian::read64le;

namespace {

/// The polynomial 0x1edc6f41 with its bits in reverse.
constexpr uint32_t Polynomial = 0x82f63b78;

/// Table K gives the contribution of a byte followed by K zero bytes, so that
/// eight bytes can be processed at once ("slicing by eight").
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables makeTables() {
  Tables T{};
  for (uint32_t Byte = 0; Byte < 256; ++Byte) {
    uint32_t C = Byte;
    for (int Bit = 0; Bit < 8; ++Bit)
      C = C & 1 ? C >> 1 ^ Polynomial : C >> 1;
    T[0][Byte] = C;
  }
  for (uint32_t Byte = 0; Byte < 256; ++Byte)
    for (int K = 1; K < 8; ++K)
      T[K][Byte] = T[K - 1][Byte] >> 8 ^ T[0][T[K - 1][Byte] & 0xff];
  return T;
}

constexpr Tables Slices = makeTables();

using Function = uint32_t (*)(StringRef, uint32_t);

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) uint32_t crc32cHardware(StringRef Bytes,
                                                          uint32_t Before) {
  uint64_t C = ~Before;
  const char *P = Bytes.begin(), *End = Bytes.end();
  for (; End - P >= 8; P += 8)
    C = _mm_crc32_u64(C, read64le(P));
  uint32_t C32 = uint32_t(C);
  for (; P != End; ++P)
    C32 = _mm_crc32_u8(C32, uint8_t(*P));
  return ~C32;
}

Function choose() {
  return __builtin_cpu_supports("sse4.2") ? crc32cHardware : crc32cSoftware;
}

#elif defined(__aarch64__) && defined(__linux__)

__attribute__((target("+crc"))) uint32_t crc32cHardware(StringRef Bytes,
                                                        uint32_t Before) {
  uint32_t C = ~Before;
  const char *P = Bytes.begin(), *End = Bytes.end();
  for (; End - P >= 8; P += 8)
    C = __crc32cd(C, read64le(P));
  for (; P != End; ++P)
    C = __crc32cb(C, uint8_t(*P));
  return ~C;
}

Function choose() {
  return getauxval(AT_HWCAP) & HWCAP_CRC32 ? crc32cHardware : crc32cSoftware;
}

#else

Function choose() { return crc32cSoftware; }

#endif

} // namespace

uint32_t lidia::crc32cSoftware(StringRef Bytes, uint32_t Before) {
  uint32_t C = ~Before;
  const char *P = Bytes.begin(), *End = Bytes.end();
  for (; End - P >= 8; P += 8) {
    uint32_t Low = read32le(P) ^ C, High = read32le(P + 4);
    C = Slices[7][Low & 0xff] ^ Slices[6][Low >> 8 & 0xff] ^
        Slices[5][Low >> 16 & 0xff] ^ Slices[4][Low >> 24] ^
        Slices[3][High & 0xff] ^ Slices[2][High >> 8 & 0xff] ^
        Slices[1][High >> 16 & 0xff] ^ Slices[0][High >> 24];
  }
  for (; P != End; ++P)
    C = C >> 8 ^ Slices[0][(C ^ uint8_t(*P)) & 0xff];
  return ~C;
}

uint32_t lidia::crc32c(StringRef Bytes, uint32_t Before) {
  static const Function Best = choose();
  return Best(Bytes, Before);
}
