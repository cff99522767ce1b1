//===- Curl.h - libcurl, loaded on demand -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// libcurl depends on thirty more shared libraries, which take 8 ms to load. So
/// it is loaded when a URL is opened. The code loads libcurl itself, and not a
/// module of ours that is linked with it: such a module would have to be
/// installed and found, and we use fewer than twenty functions.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_CURL_H
#define LIDIA_LIB_STORE_CURL_H

#include "llvm/Support/Error.h"
#include <curl/curl.h>

namespace lidia {

/// The functions that are used.
#define LIDIA_CURL_FUNCTIONS(DO)                                               \
  DO(easy_cleanup)                                                             \
  DO(easy_getinfo)                                                             \
  DO(easy_init)                                                                \
  DO(easy_perform)                                                             \
  DO(easy_setopt)                                                              \
  DO(easy_strerror)                                                            \
  DO(global_init)                                                              \
  DO(multi_add_handle)                                                         \
  DO(multi_cleanup)                                                            \
  DO(multi_info_read)                                                          \
  DO(multi_init)                                                               \
  DO(multi_perform)                                                            \
  DO(multi_poll)                                                               \
  DO(multi_remove_handle)                                                      \
  DO(multi_setopt)                                                             \
  DO(multi_strerror)                                                           \
  DO(slist_append)                                                             \
  DO(slist_free_all)                                                           \
  DO(version_info)

struct Curl {
#define LIDIA_MEMBER(NAME) decltype(&::curl_##NAME) NAME = nullptr;
  LIDIA_CURL_FUNCTIONS(LIDIA_MEMBER)
#undef LIDIA_MEMBER

  /// Loads the library in the first call. The error names the package that has
  /// it.
  static llvm::Expected<const Curl &> get();
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_CURL_H
