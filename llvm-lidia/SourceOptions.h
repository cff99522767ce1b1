//===- SourceOptions.h - Options for what is read ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_SOURCEOPTIONS_H
#define LLVM_LIDIA_SOURCEOPTIONS_H

#include "Options.h"
#include "lidia/Extract/Convert.h"

namespace lidia {

/// The numbers that a command's table gives to the options of SourceOpts.td.
struct SourceOptionIDs {
  unsigned DebugFile;
  unsigned DebugFileDirectory;
  unsigned FallbackDebugPath;
  unsigned DwoDir;
  unsigned Dwp;
  unsigned Debuginfod;
  unsigned NoDebuginfod;
  unsigned Source;
  unsigned NoDWARF;
  unsigned NoGo;
  unsigned NoSymtab;
  unsigned NumThreads;
};

#define LIDIA_SOURCE_OPTIONS                                                   \
  {OPT_debug_file_EQ,                                                          \
   OPT_debug_file_directory_EQ,                                                \
   OPT_fallback_debug_path_EQ,                                                 \
   OPT_dwo_dir_EQ,                                                             \
   OPT_dwp_EQ,                                                                 \
   OPT_debuginfod,                                                             \
   OPT_no_debuginfod,                                                          \
   OPT_source_EQ,                                                              \
   OPT_no_dwarf,                                                               \
   OPT_no_go,                                                                  \
   OPT_no_symtab,                                                              \
   OPT_num_threads_EQ}

/// All options of SourceOpts.td but those that llvm-symbolizer has, too, and
/// that scripts pass to it: they mean nothing for an archive.
#define LIDIA_SOURCE_OPTIONS_OF_OURS                                           \
  OPT_debug_file_EQ, OPT_dwo_dir_EQ, OPT_source_EQ, OPT_no_dwarf, OPT_no_go,   \
      OPT_no_symtab, OPT_num_threads_EQ

/// Puts what the options of SourceOpts.td say into \p O.
void readSourceOptions(CommandLine &Line, const SourceOptionIDs &IDs,
                       ConvertOptions &O);

} // namespace lidia

#endif // LLVM_LIDIA_SOURCEOPTIONS_H
