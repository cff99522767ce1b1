//===- Commands.h - The tool's commands -------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A command is a row in Commands.def, its options in Options.td, and a file
/// with its run function.
///
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_COMMANDS_H
#define LLVM_LIDIA_COMMANDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lidia {

class CommandLine;

/// A command's arguments, without the names of tool and command.
using Arguments = llvm::ArrayRef<char *>;

enum class CommandIndex : unsigned {
#define LIDIA_COMMAND(ID, ...) ID,
#include "Commands.def"
#undef LIDIA_COMMAND
};

/// A mask of commands that have an option; llvm::opt::DefaultVis, which is bit
/// 0, means all of them.
enum CommandVisibility : unsigned {
#define LIDIA_COMMAND(ID, ...) ID##Vis = 2u << unsigned(CommandIndex::ID),
#include "Commands.def"
#undef LIDIA_COMMAND
};

/// A row of Commands.def.
struct Command {
  const char *Name;
  const char *Group;
  const char *Usage;
  const char *Summary;
  const char *Overview;
  CommandVisibility Visibility;
  /// Runs the command. If it returns CommandLine::takeErrors(), it has not
  /// printed anything.
  llvm::Error (*Run)(CommandLine &);
};

#define LIDIA_COMMAND(ID, ...) llvm::Error run##ID(CommandLine &Line);
#include "Commands.def"
#undef LIDIA_COMMAND

llvm::ArrayRef<Command> commands();

/// Null if no command is named \p Name.
const Command *findCommand(llvm::StringRef Name);

} // namespace lidia

#endif // LLVM_LIDIA_COMMANDS_H
