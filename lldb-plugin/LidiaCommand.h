//===- LidiaCommand.h - The lidia command -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_LIDIACOMMAND_H
#define LIDIA_LLDBPLUGIN_LIDIACOMMAND_H

#include "Serve.h"
#include "lldb/API/SBCommandInterpreter.h"
#include "lldb/API/SBCommandReturnObject.h"
#include "lldb/API/SBDebugger.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lidia {

/// A subcommand. LLDB owns it and calls it from one thread at a time.
class Subcommand : public lldb::SBCommandPluginInterface {
public:
  bool DoExecute(lldb::SBDebugger Debugger, char **Words,
                 lldb::SBCommandReturnObject &Result) final;

protected:
  using Arguments = llvm::ArrayRef<llvm::StringRef>;

  /// Whether run() parses options itself and must see "--".
  virtual bool hasOptions() const { return false; }

  /// Whether run() needs a target.
  virtual bool needsTarget() const { return true; }

  /// Whether modules get their archives before run().
  virtual bool needsArchives() const { return true; }

  /// Runs the command. Output in \p Result from before an error is kept; the
  /// error becomes the command's.
  virtual llvm::Error run(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                          Arguments Args,
                          lldb::SBCommandReturnObject &Result) = 0;
};

/// `lidia lookup ADDRESS...`
class LookupCommand final : public Subcommand {
  llvm::Error run(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                  Arguments Args, lldb::SBCommandReturnObject &Result) override;
};

/// `lidia auto [on|off]`
class AutoCommand final : public Subcommand {
  bool needsTarget() const override { return false; }
  bool needsArchives() const override { return false; }
  llvm::Error run(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                  Arguments Args, lldb::SBCommandReturnObject &Result) override;
};

/// `lidia status [MODULE...]`
class StatusCommand final : public Subcommand {
  llvm::Error run(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                  Arguments Args, lldb::SBCommandReturnObject &Result) override;
};

/// `lidia add [-s MODULE | -u UUID] [--replace] FILE...`: `target symbols add`
/// with a result for scripts.
class AddCommand final : public Subcommand {
public:
  explicit AddCommand(ServeMode Mode) : Mode(Mode) {}

private:
  bool hasOptions() const override { return true; }
  bool needsArchives() const override { return false; }
  llvm::Error run(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                  Arguments Args, lldb::SBCommandReturnObject &Result) override;

  ServeMode Mode;
};

/// `lidia create [-u UUID | MODULE...]`
class CreateCommand final : public Subcommand {
public:
  explicit CreateCommand(ServeMode Mode) : Mode(Mode) {}

private:
  bool hasOptions() const override { return true; }
  llvm::Error run(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                  Arguments Args, lldb::SBCommandReturnObject &Result) override;

  ServeMode Mode;
};

/// `lidia remove [MODULE...]`
class RemoveCommand final : public Subcommand {
  bool needsArchives() const override { return false; }
  llvm::Error run(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                  Arguments Args, lldb::SBCommandReturnObject &Result) override;
};

/// Adds the command `lidia` with its subcommands to \p Debugger.
void addLidiaCommand(lldb::SBDebugger Debugger, ServeMode Mode);

/// Appends \p Text to the output of a command.
void append(lldb::SBCommandReturnObject &Result, const llvm::Twine &Text);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_LIDIACOMMAND_H
