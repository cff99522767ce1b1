//===- ProtoWriter.h - Writes fields of protobuf messages -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PROTOWRITER_H
#define LIDIA_LIB_PROFILE_PROTOWRITER_H

#include <cstdint>
#include <protozero/pbf_writer.hpp>

namespace lidia {

/// Omits a field that is zero, as is usual in proto3.
inline void addField(protozero::pbf_writer &W, uint32_t Tag, uint64_t Number) {
  if (Number != 0)
    W.add_uint64(Tag, Number);
}

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PROTOWRITER_H
