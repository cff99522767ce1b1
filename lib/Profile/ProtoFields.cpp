//===- ProtoFields.cpp - Fields of protobuf messages ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProtoFields.h"
#include "llvm/Support/Endian.h"
#include <protozero/pbf_reader.hpp>

using namespace llvm;

namespace lidia {

static ProtoField readField(protozero::pbf_reader &Reader) {
  ProtoField F;
  F.Tag = Reader.tag();
  switch (Reader.wire_type()) {
  case protozero::pbf_wire_type::varint:
    F.HasNumber = true;
    F.Number = Reader.get_uint64();
    break;
  case protozero::pbf_wire_type::length_delimited: {
    protozero::data_view View = Reader.get_view();
    F.HasBytes = true;
    F.Bytes = StringRef(View.data(), View.size());
    break;
  }
  case protozero::pbf_wire_type::fixed64:
    F.HasFixed = true;
    F.Fixed = Reader.get_fixed64();
    break;
  default:
    Reader.skip();
    break;
  }
  return F;
}

bool forEachField(StringRef Message,
                  function_ref<void(const ProtoField &)> Visit) {
  protozero::pbf_reader Reader(Message.data(), Message.size());
  try {
    while (true) {
      const char *Begin = Reader.data().data();
      if (!Reader.next())
        return true;
      ProtoField F = readField(Reader);
      F.Raw = StringRef(Begin, size_t(Reader.data().data() - Begin));
      Visit(F);
    }
  } catch (const protozero::exception &) {
    return false;
  }
}

bool forEachNumber(const ProtoField &F, function_ref<void(uint64_t)> Visit) {
  if (!F.HasBytes) {
    if (F.HasNumber)
      Visit(F.Number);
    return F.HasNumber;
  }
  const char *Next = F.Bytes.begin();
  try {
    while (Next != F.Bytes.end())
      Visit(protozero::decode_varint(&Next, F.Bytes.end()));
  } catch (const protozero::exception &) {
    return false;
  }
  return true;
}

bool forEachFixed(const ProtoField &F, function_ref<void(uint64_t)> Visit) {
  if (F.HasFixed)
    Visit(F.Fixed);
  if (!F.HasBytes || F.Bytes.size() % 8 != 0)
    return F.HasFixed;
  for (size_t I = 0; I != F.Bytes.size(); I += 8)
    Visit(support::endian::read64le(F.Bytes.data() + I));
  return true;
}

} // namespace lidia
