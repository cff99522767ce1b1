//===- RustNameCost.cpp - The cost of demangling a Rust name --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Walks a name in Rust's "v0" scheme like LLVM's demangler, but counts instead
/// of printing. The grammar is that of RFC 2603,
/// https://rust-lang.github.io/rfcs/2603-rust-symbol-name-mangling-v0.html.
///
/// Like the demangler, the walk follows every back reference every time: its
/// count is an upper bound on the demangler's work, and it stops when that
/// exceeds the limit. So no memoisation is needed, and cases that the grammar
/// leaves open (a reference into the middle of an identifier, or into an
/// enclosing construct) cost as much as in the demangler.
///
/// Invalid names need not be detected: the demangler gets no further than the
/// walk.
///
//===----------------------------------------------------------------------===//

#include "NameCost.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

namespace {

class Walker {
public:
  Walker(StringRef Input, uint64_t Limit) : Input(Input), Left(Limit) {}

  /// Whether \p Input is a path that costs no more than the limit.
  bool walk() {
    path();
    return !Failed;
  }

private:
  void path();
  void nestedPath();
  void implPath();
  void genericArgument();
  void type();
  void reference();
  void functionType();
  void dynType();
  void dynTrait();
  void binder();
  void constant();
  void identifier();
  void lifetime();
  template <typename Callable> void backReference(Callable Referred);

  uint64_t base62();
  uint64_t optionalBase62(char Tag) { return consumeIf(Tag) ? base62() : 0; }
  uint64_t decimal();

  /// Counts \p Bytes read or printed.
  void spend(uint64_t Bytes) {
    Failed |= Bytes > Left;
    Left -= Failed ? 0 : Bytes;
  }
  void print(StringRef Text) {
    if (Print)
      spend(Text.size());
  }
  char look() const {
    return Failed || Position >= Input.size() ? '\0' : Input[Position];
  }
  char consume() {
    char C = look();
    Failed |= C == '\0';
    ++Position;
    spend(1);
    return C;
  }
  bool consumeIf(char C) {
    if (look() != C)
      return false;
    consume();
    return true;
  }
  /// For lists: whether another element follows.
  bool more() { return !Failed && !consumeIf('E'); }

  const StringRef Input;
  size_t Position = 0;
  uint64_t Left;
  bool Failed = false;
  /// False for the path of an impl, which is read but not printed, and whose
  /// references are not followed.
  bool Print = true;
  unsigned Depth = 0;
};

/// Counts the recursion depth.
class Level {
public:
  Level(unsigned &Depth, bool &Failed) : Depth(Depth) {
    Failed |= ++Depth > MaxRustDepth;
  }
  ~Level() { --Depth; }

private:
  unsigned &Depth;
};

} // namespace

// <path> = "C" <identifier>               // crate root
//        | "M" <impl-path> <type>         // <T>
//        | "X" <impl-path> <type> <path>  // <T as Trait>
//        | "Y" <type> <path>              // <T as Trait>
//        | "N" <ns> <path> <identifier>   // ...::ident
//        | "I" <path> {<generic-arg>} "E" // ...<T, U>
//        | <backref>
void Walker::path() {
  Level L(Depth, Failed);
  switch (consume()) {
  case 'C':
    return identifier();
  case 'M':
    implPath();
    print("<>");
    return type();
  case 'X':
    implPath();
    [[fallthrough]];
  case 'Y':
    print("< as >");
    type();
    return path();
  case 'N':
    return nestedPath();
  case 'I':
    path();
    print("::<>");
    while (more()) {
      print(", ");
      genericArgument();
    }
    return;
  case 'B':
    return backReference([&] { path(); });
  default:
    Failed = true;
  }
}

// <ns> = "C"      // closure
//      | "S"      // shim
//      | <A-Z>    // other special namespaces
//      | <a-z>    // internal namespaces
void Walker::nestedPath() {
  if (isUpper(consume()))
    print("::{closure:#18446744073709551615}");
  else
    print("::");
  path();
  identifier();
}

// <impl-path> = [<disambiguator>] <path>
void Walker::implPath() {
  bool Printed = Print;
  Print = false;
  optionalBase62('s');
  path();
  Print = Printed;
}

// <generic-arg> = <lifetime> | <type> | "K" <const>
void Walker::genericArgument() {
  if (consumeIf('L'))
    lifetime();
  else if (consumeIf('K'))
    constant();
  else
    type();
}

// <type> = <basic-type>
//        | <path>                      // named type
//        | "A" <type> <const>          // [T; N]
//        | "S" <type>                  // [T]
//        | "T" {<type>} "E"            // (T1, T2, T3, ...)
//        | "R" [<lifetime>] <type>     // &T
//        | "Q" [<lifetime>] <type>     // &mut T
//        | "P" <type>                  // *const T
//        | "O" <type>                  // *mut T
//        | "F" <fn-sig>                // fn(...) -> ...
//        | "D" <dyn-bounds> <lifetime> // dyn Trait<Assoc = X> + Send + 'a
//        | <backref>
void Walker::type() {
  Level L(Depth, Failed);
  if (isLower(look())) {
    consume();
    return print("usize"); // the longest
  }
  switch (look()) {
  case 'A':
    consume();
    print("[; ]");
    type();
    return constant();
  case 'S':
    consume();
    print("[]");
    return type();
  case 'T':
    consume();
    print("(,)");
    while (more()) {
      print(", ");
      type();
    }
    return;
  case 'R':
  case 'Q':
    return reference();
  case 'P':
  case 'O':
    consume();
    print("*const ");
    return type();
  case 'F':
    return functionType();
  case 'D':
    return dynType();
  case 'B':
    consume();
    return backReference([&] { type(); });
  default:
    return path();
  }
}

void Walker::reference() {
  consume();
  print("&mut  ");
  if (consumeIf('L'))
    lifetime();
  type();
}

// <fn-sig> = [<binder>] ["U"] ["K" <abi>] {<type>} "E" <type>
// <abi> = "C" | <undisambiguated-identifier>
void Walker::functionType() {
  consume();
  binder();
  print("unsafe extern \"C\" fn() -> ");
  consumeIf('U');
  if (consumeIf('K') && !consumeIf('C'))
    identifier();
  while (more()) {
    print(", ");
    type();
  }
  type();
}

// <dyn-bounds> = [<binder>] {<dyn-trait>} "E"
void Walker::dynType() {
  consume();
  print("dyn  + ");
  binder();
  while (more()) {
    print(" + ");
    dynTrait();
  }
  if (consumeIf('L'))
    lifetime();
}

// <dyn-trait> = <path> {<dyn-trait-assoc-binding>}
// <dyn-trait-assoc-binding> = "p" <undisambiguated-identifier> <type>
void Walker::dynTrait() {
  print("<>");
  path();
  while (consumeIf('p')) {
    print(",  = ");
    identifier();
    type();
  }
}

// <binder> = "G" <base-62-number>
void Walker::binder() {
  if (look() != 'G')
    return;
  uint64_t Count = optionalBase62('G') + 1;
  // The demangler requires each lifetime to be used.
  Failed |= Count >= Input.size();
  print("for<> ");
  for (uint64_t I = 0; I < Count && !Failed; ++I)
    print("'z1234, ");
}

// <lifetime> = "L" <base-62-number>
void Walker::lifetime() {
  base62();
  print("'z1234");
}

// <const> = <basic-type> <const-data> | "p" | <backref>
// <const-data> = ["n"] {<0-9a-f>} "_"
void Walker::constant() {
  Level L(Depth, Failed);
  char C = consume();
  if (C == 'B')
    return backReference([&] { constant(); });
  if (C == 'p')
    return print("_");
  Failed |= !isLower(C);
  consumeIf('n');
  size_t Start = Position;
  while (!Failed && consume() != '_')
    ;
  // Printed as a number, which may have more digits, or as '\u{...}'.
  print("-18446744073709551615");
  if (!Failed)
    print(Input.slice(Start, Position));
}

// <identifier> = [<disambiguator>] <undisambiguated-identifier>
// <undisambiguated-identifier> = ["u"] <decimal-number> ["_"] <bytes>
void Walker::identifier() {
  optionalBase62('s');
  bool Punycode = consumeIf('u');
  uint64_t Size = decimal();
  consumeIf('_');
  Failed |= Size > Input.size() - std::min(Position, Input.size());
  if (Failed)
    return;
  spend(Size);
  if (Print)
    spend(Size);
  // Each character is inserted among those before it. The memory moved counts,
  // too, but less than the output.
  if (Print && Punycode)
    spend(Size * Size / 8 + Size * 4);
  Position += Size;
}

// <backref> = "B" <base-62-number>
template <typename Callable> void Walker::backReference(Callable Referred) {
  uint64_t Target = base62();
  Failed |= Target >= Position;
  if (Failed || !Print)
    return;
  size_t Behind = Position;
  Position = Target;
  Referred();
  Position = Behind;
}

// <base-62-number> = {<0-9a-zA-Z>} "_"
uint64_t Walker::base62() {
  if (consumeIf('_'))
    return 0;
  uint64_t Value = 0;
  while (!Failed) {
    char C = consume();
    if (C == '_')
      return Value + 1;
    Failed |= !isAlnum(C);
    unsigned Digit = isDigit(C)   ? C - '0'
                     : isLower(C) ? 10 + (C - 'a')
                                  : 36 + (C - 'A');
    // Disambiguators can be any number; positions are small.
    Value = std::min<uint64_t>(Value * 62 + Digit, UINT32_MAX);
  }
  return 0;
}

uint64_t Walker::decimal() {
  Failed |= !isDigit(look());
  if (consumeIf('0'))
    return 0;
  uint64_t Value = 0;
  while (isDigit(look())) {
    Value = Value * 10 + uint64_t(consume() - '0');
    Failed |= Value > UINT32_MAX;
  }
  return Value;
}

bool isRustNameWithin(StringRef Mangled, uint64_t Limit) {
  // The part after a dot is printed unchanged.
  return Walker(Mangled.drop_front(2).split('.').first, Limit).walk();
}

} // namespace lidia
