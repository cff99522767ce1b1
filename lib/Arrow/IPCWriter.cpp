//===- IPCWriter.cpp - Frames as an IPC stream ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatBuffer.h"
#include "IPCMetadata.h"
#include "lidia/Arrow/IPC.h"
#include "llvm/Support/MathExtras.h"

using namespace lidia;
using namespace lidia::arrow;
using namespace lidia::arrow::ipc;
using namespace llvm;

using Fields = FlatField::Fields;

//===----------------------------------------------------------------------===//
// The schema
//===----------------------------------------------------------------------===//

namespace {
/// The numbers of the dictionaries.
enum DictionaryID : unsigned { FunctionNames, FileNames, ReasonTexts };
} // namespace

static Fields column(StringRef Name, TypeType Type, Fields TypeFields = {}) {
  return {FlatField::text(field::Name, Name),
          FlatField::number(field::Nullable, 1, true),
          FlatField::number(field::TypeType, 1, uint64_t(Type)),
          FlatField::table(field::Type, std::move(TypeFields))};
}

static Fields int32Type(bool IsSigned) {
  return {FlatField::number(int_type::BitWidth, 4, 32),
          FlatField::number(int_type::IsSigned, 1, IsSigned)};
}

static Fields textColumn(StringRef Name, DictionaryID ID) {
  Fields F = column(Name, TypeType::Utf8);
  F.push_back(FlatField::table(
      field::Dictionary,
      {FlatField::number(dictionary_encoding::ID, 8, ID),
       FlatField::table(dictionary_encoding::IndexType, int32Type(true))}));
  return F;
}

static Fields withChildren(Fields Column, std::vector<Fields> Children) {
  Column.push_back(FlatField::tables(field::Children, std::move(Children)));
  return Column;
}

static Fields schemaOfFrames() {
  Fields Frame = withChildren(column("item", TypeType::Struct),
                              {textColumn("function", FunctionNames),
                               textColumn("file", FileNames),
                               column("line", TypeType::Int, int32Type(false)),
                               column("inlined", TypeType::Bool)});
  return {FlatField::tables(
      schema::Fields,
      {withChildren(column("frames", TypeType::List), {std::move(Frame)}),
       textColumn("reason", ReasonTexts)})};
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

namespace {

/// Arrays and their buffers, in the order in which the schema has them.
class Batch {
public:
  /// The bitmap of an array without nulls.
  static constexpr ArrayRef<uint8_t> NoBitmap = {};

  explicit Batch(size_t Length) : Length(Length) {}

  void addArray(size_t Rows, size_t Nulls) {
    Nodes.push_back(int64_t(Rows));
    Nodes.push_back(int64_t(Nulls));
  }

  /// Adds a buffer with \p Values, which must outlive this.
  template <typename T> void addBuffer(ArrayRef<T> Values) {
    StringRef Bytes(reinterpret_cast<const char *>(Values.data()),
                    Values.size() * sizeof(T));
    Buffers.push_back(int64_t(Size));
    Buffers.push_back(int64_t(Bytes.size()));
    Parts.push_back(Bytes);
    Size += alignTo(Bytes.size(), Alignment);
  }

  /// Adds an array of \p Rows rows and its buffers.
  template <typename T> void add(size_t Rows, const NullableValues<T> &Values) {
    addArray(Rows, Values.Nulls);
    addBuffer(Values.Nulls ? ArrayRef(Values.Valid) : NoBitmap);
    addBuffer(ArrayRef(Values.Values));
  }

  Fields metadata() const {
    return {FlatField::number(record_batch::Length, 8, Length),
            FlatField::words(record_batch::Nodes, Nodes, 2),
            FlatField::words(record_batch::Buffers, Buffers, 2)};
  }
  uint64_t bodySize() const { return Size; }
  void appendBody(std::string &To) const {
    for (StringRef Part : Parts) {
      To.append(Part.data(), Part.size());
      To.append(size_t(alignTo(Part.size(), Alignment)) - Part.size(), '\0');
    }
  }

private:
  size_t Length;
  std::vector<int64_t> Nodes;
  std::vector<int64_t> Buffers;
  std::vector<StringRef> Parts;
  uint64_t Size = 0;
};

} // namespace

static Batch batchOf(const Texts &T) {
  Batch B(T.size());
  B.addArray(T.size(), 0);
  B.addBuffer(Batch::NoBitmap);
  B.addBuffer(ArrayRef(T.Offsets));
  B.addBuffer(ArrayRef(T.Bytes));
  return B;
}

static Batch batchOf(const FrameTable::Chunk &C) {
  size_t Frames = C.Lines.Values.size();
  Batch B(C.Rows);
  B.add(C.Rows, C.Offsets);
  B.addArray(Frames, 0);
  B.addBuffer(Batch::NoBitmap);
  B.add(Frames, C.Functions);
  B.add(Frames, C.Files);
  B.add(Frames, C.Lines);
  B.addArray(Frames, 0);
  B.addBuffer(Batch::NoBitmap);
  B.addBuffer(ArrayRef(C.Inlined));
  B.add(C.Rows, C.Reasons);
  return B;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static void append32(std::string &To, uint32_t Value) {
  char Bytes[4];
  support::endian::write32le(Bytes, Value);
  To.append(Bytes, sizeof(Bytes));
}

/// Appends a message whose body follows.
static void appendMessage(std::string &To, HeaderType Type, Fields Header,
                          uint64_t BodySize) {
  std::string Metadata = writeFlatBuffer(
      {FlatField::number(message::Version, 2, MetadataV5),
       FlatField::number(message::HeaderType, 1, uint64_t(Type)),
       FlatField::table(message::Header, std::move(Header)),
       FlatField::number(message::BodyLength, 8, BodySize)});
  append32(To, Continuation);
  append32(To, uint32_t(Metadata.size()));
  To += Metadata;
}

static void appendDictionary(std::string &To, DictionaryID ID, const Texts &T) {
  Batch B = batchOf(T);
  appendMessage(To, HeaderType::DictionaryBatch,
                {FlatField::number(dictionary_batch::ID, 8, ID),
                 FlatField::table(dictionary_batch::Data, B.metadata())},
                B.bodySize());
  B.appendBody(To);
}

std::string arrow::writeIPCStream(const FrameTable &Table) {
  std::string Stream;
  appendMessage(Stream, HeaderType::Schema, schemaOfFrames(), 0);
  appendDictionary(Stream, FunctionNames, Table.FunctionNames);
  appendDictionary(Stream, FileNames, Table.FileNames);
  appendDictionary(Stream, ReasonTexts, Table.ReasonTexts);
  for (const FrameTable::Chunk &C : Table.Chunks) {
    Batch B = batchOf(C);
    appendMessage(Stream, HeaderType::RecordBatch, B.metadata(), B.bodySize());
    B.appendBody(Stream);
  }
  append32(Stream, Continuation);
  append32(Stream, 0);
  return Stream;
}
