//===- StringSection.h - A section of strings -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_STRINGSECTION_H
#define LIDIA_LIB_EXPORT_STRINGSECTION_H

#include "SectionWriter.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace lidia {

/// A string section that stores each string once.
class StringSection {
public:
  explicit StringSection(const Target &T) : Out(T) { Out.u8(0); }

  uint32_t add(llvm::StringRef S) {
    if (S.empty())
      return 0;
    auto [It, New] = Offsets.try_emplace(S, uint32_t(Out.size()));
    if (New)
      Out.cstring(S);
    return It->second;
  }
  /// Adds a text that no later call repeats.
  uint32_t append(llvm::StringRef S) {
    uint32_t Offset = uint32_t(Out.size());
    Out.cstring(S);
    return Offset;
  }
  const SectionWriter &section() const { return Out; }

private:
  SectionWriter Out;
  llvm::StringMap<uint32_t> Offsets;
};

/// \p Name with U+FFFD in place of bytes that are not UTF-8. LLVM's hash of
/// names, which LLDB computes for each name that it looks up and llvm-dwarfdump
/// for all names, assumes UTF-8 and overruns a buffer on truncated characters:
/// the file must not contain such a name.
inline std::string asUTF8(llvm::StringRef Name) {
  return llvm::json::isUTF8(Name) ? Name.str() : llvm::json::fixUTF8(Name);
}

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_STRINGSECTION_H
