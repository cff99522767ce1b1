//===- StatementCodec.cpp - Statements as bytes ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementCodec.h"

using namespace lidia;
using namespace llvm;

void StatementCodec::encode(const Statement &S, std::string &Out) {
  uint8_t Buffer[1 + 4 * 10], *P = Buffer + 1;
  Buffer[0] = S.Flags;
  P += encodeULEB128(S.Address - Before.Address, P);
  P += encodeSLEB128(int64_t(S.Line) - int64_t(Before.Line), P);
  if (S.File != Before.File) {
    Buffer[0] |= HasFile;
    P += encodeULEB128(S.File, P);
  }
  if (S.Column != Before.Column) {
    Buffer[0] |= HasColumn;
    P += encodeULEB128(S.Column, P);
  }
  Out.append(reinterpret_cast<char *>(Buffer), P - Buffer);
  Before = S;
}

bool StatementCodec::decode(StringRef &Bytes, Statement &S) {
  if (Bytes.empty())
    return false;
  uint8_t Flags = uint8_t(Bytes.front());
  Bytes = Bytes.drop_front();
  std::optional<uint64_t> Code = takeULEB(Bytes);
  std::optional<int64_t> Lines = takeSLEB(Bytes);
  if (!Code || !Lines || *Code > UINT64_MAX - Before.Address)
    return false;
  Before.Flags = Flags & AllFlags;
  Before.Address += *Code;
  Before.Line += uint32_t(*Lines);
  if (Flags & HasFile) {
    std::optional<uint64_t> File = takeULEB(Bytes);
    if (!File)
      return false;
    Before.File = *File;
  }
  if (Flags & HasColumn) {
    std::optional<uint64_t> Column = takeULEB(Bytes);
    if (!Column)
      return false;
    Before.Column = uint32_t(*Column);
  }
  S = Before;
  return (Flags & ~(AllFlags | HasFile | HasColumn)) == 0;
}
