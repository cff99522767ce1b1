//===- IPCReader.cpp - Build IDs and addresses in an IPC stream -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two columns become arrays of the C data interface, whose contents
// Columns.cpp checks. What it cannot check is checked here: the sizes of
// buffers, and that strings are in theirs.
//
//===----------------------------------------------------------------------===//

#include "FlatBuffer.h"
#include "IPCMetadata.h"
#include "lidia/Arrow/IPC.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <memory>
#include <optional>

using namespace lidia;
using namespace lidia::arrow;
using namespace lidia::arrow::ipc;
using namespace llvm;

/// Of all columns, with those within them.
static constexpr unsigned MaxFields = 10000;
static constexpr unsigned MaxDepth = 64;

static Error malformedStream(const Twine &Message) {
  return make_error<ArgumentError>("", "a malformed Arrow stream: " + Message);
}

//===----------------------------------------------------------------------===//
// The schema
//===----------------------------------------------------------------------===//

namespace {

/// How many parts of a batch an array has.
struct PartCounts {
  uint64_t Nodes = 0;
  uint64_t Buffers = 0;
  /// Arrays of views, with a variable number of buffers.
  uint64_t Views = 0;
};

/// A column that is read.
struct WantedColumn {
  /// Of the values; of a dictionary's values if there is one.
  std::string Format;
  /// The format of the indices in the dictionary; empty without one.
  std::string IndexFormat;
  int64_t Dictionary = 0;
  /// The parts of the columns before this one.
  PartCounts Before;
  bool IsThere = false;

  /// The type, for as long as this object. \p DictionaryType has room for that
  /// of the dictionary.
  ArrowSchema type(ArrowSchema &DictionaryType) const {
    ArrowSchema Type = {};
    Type.format = Format.c_str();
    if (IndexFormat.empty())
      return Type;
    DictionaryType = Type;
    Type.format = IndexFormat.c_str();
    Type.dictionary = &DictionaryType;
    return Type;
  }
};

} // namespace

static bool isView(TypeType Type) {
  return Type == TypeType::BinaryView || Type == TypeType::Utf8View;
}

/// The number of buffers of an array, without those of its children and
/// without those that views refer to.
static unsigned bufferCount(FlatTable Field, TypeType Type) {
  switch (Type) {
  case TypeType::Null:
  case TypeType::RunEndEncoded:
    return 0;
  case TypeType::Struct:
  case TypeType::FixedSizeList:
    return 1;
  case TypeType::Union:
    return Field.table(field::Type).get<int16_t>(union_type::Mode) ==
                   union_type::Dense
               ? 2
               : 1;
  case TypeType::Binary:
  case TypeType::Utf8:
  case TypeType::LargeBinary:
  case TypeType::LargeUtf8:
  case TypeType::ListView:
  case TypeType::LargeListView:
    return 3;
  default:
    return 2;
  }
}

static std::string intFormat(FlatTable Type) {
  bool IsSigned = Type.get<uint8_t>(int_type::IsSigned) != 0;
  switch (Type.get<int32_t>(int_type::BitWidth)) {
  case 8:
    return IsSigned ? "c" : "C";
  case 16:
    return IsSigned ? "s" : "S";
  case 32:
    return IsSigned ? "i" : "I";
  case 64:
    return IsSigned ? "l" : "L";
  default:
    return "";
  }
}

/// The C data interface's name of \p Field's type; empty for types that neither
/// column may have.
static std::string formatOf(FlatTable Field, TypeType Type) {
  switch (Type) {
  case TypeType::Null:
    return "n";
  case TypeType::Int:
    return intFormat(Field.table(field::Type));
  case TypeType::Binary:
    return "z";
  case TypeType::Utf8:
    return "u";
  case TypeType::Bool:
    return "b";
  case TypeType::List:
    return "+l";
  case TypeType::Struct:
    return "+s";
  case TypeType::FixedSizeBinary:
    return "w:" + itostr(Field.table(field::Type)
                             .get<int32_t>(fixed_size_binary::ByteWidth));
  case TypeType::LargeBinary:
    return "Z";
  case TypeType::LargeUtf8:
    return "U";
  case TypeType::RunEndEncoded:
    return "+r";
  case TypeType::BinaryView:
    return "vz";
  case TypeType::Utf8View:
    return "vu";
  default:
    return "";
  }
}

static TypeType typeOf(FlatTable Field) {
  return TypeType(Field.get<uint8_t>(field::TypeType));
}

namespace {

/// Reads a schema.
class SchemaReader {
public:
  Error read(FlatTable Schema);

  WantedColumn BuildID;
  WantedColumn Address;

private:
  Error want(WantedColumn &C, FlatTable Field);
  Error count(FlatTable Field, unsigned Depth);

  PartCounts Parts;
};

} // namespace

/// Adds the parts of \p Field and of its children.
Error SchemaReader::count(FlatTable Field, unsigned Depth) {
  TypeType Type = typeOf(Field);
  if (Type == TypeType::None || Type > TypeType::LargeListView)
    return make_error<UnsupportedError>("", "a column has a type that is not "
                                            "known");
  if (++Parts.Nodes > MaxFields || Depth > MaxDepth)
    return make_error<LimitError>("", "the Arrow stream has too many columns");
  // Indices of a dictionary, whose values are not in record batches.
  if (Field.table(field::Dictionary).isThere()) {
    Parts.Buffers += 2;
    return Error::success();
  }
  Parts.Buffers += bufferCount(Field, Type);
  Parts.Views += isView(Type);
  FlatVector Children = Field.tables(field::Children);
  for (uint32_t I = 0; I != Children.Count; ++I)
    if (Error E = count(Field.element(Children, I), Depth + 1))
      return E;
  return Error::success();
}

Error SchemaReader::want(WantedColumn &C, FlatTable Field) {
  if (C.IsThere)
    return malformedStream("two columns have one name");
  C.IsThere = true;
  C.Before = Parts;
  C.Format = formatOf(Field, typeOf(Field));
  if (FlatTable D = Field.table(field::Dictionary); D.isThere()) {
    C.Dictionary = D.get<int64_t>(dictionary_encoding::ID);
    FlatTable Index = D.table(dictionary_encoding::IndexType);
    C.IndexFormat = Index.isThere() ? intFormat(Index) : "i";
    if (C.IndexFormat.empty())
      return malformedStream("indices of a dictionary have no width");
  }
  return Error::success();
}

Error SchemaReader::read(FlatTable Schema) {
  if (Schema.get<int16_t>(schema::Endianness))
    return make_error<UnsupportedError>("", "the Arrow stream is big-endian");
  FlatVector Columns = Schema.tables(schema::Fields);
  for (uint32_t I = 0; I != Columns.Count; ++I) {
    FlatTable Field = Schema.element(Columns, I);
    StringRef Name = Field.text(field::Name);
    WantedColumn *Wanted = Name == "build_id"  ? &BuildID
                           : Name == "address" ? &Address
                                               : nullptr;
    if (Wanted)
      if (Error E = want(*Wanted, Field))
        return E;
    if (Error E = count(Field, 0))
      return E;
  }
  for (const auto &[C, Name] :
       {std::pair(&BuildID, "build_id"), std::pair(&Address, "address")})
    if (!C->IsThere)
      return make_error<ArgumentError>("", "the Arrow stream has no column \"" +
                                               Twine(Name) + "\"");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

namespace {

/// An array and the tables that it needs. Its buffers are in the stream.
struct ReadArray {
  ArrowArray Array = {};
  std::vector<const void *> Buffers;
  /// Of the buffers that views refer to.
  std::vector<int64_t> Sizes;
};

/// A batch, and which of its parts come next.
class BatchReader {
public:
  BatchReader(FlatTable Batch, StringRef Body)
      : Batch(Batch), Body(Body), Nodes(Batch.vector(record_batch::Nodes, 16)),
        Buffers(Batch.vector(record_batch::Buffers, 16)),
        Views(Batch.vector(record_batch::VariadicBufferCounts, 8)) {}

  int64_t length() const { return Batch.get<int64_t>(record_batch::Length); }
  Error checkCoding() const;

  /// Passes over \p Parts parts from the start.
  Error moveTo(const PartCounts &Parts);
  /// Stores the next array, whose values have the format \p Format.
  Error read(StringRef Format, ReadArray &To);

private:
  Expected<StringRef> buffer();
  Error addBuffer(ReadArray &To, uint64_t LeastSize);
  template <typename T> Error addStrings(ReadArray &To, uint64_t Length);
  Error addViews(ReadArray &To, uint64_t Length);
  Error addValues(StringRef Format, ReadArray &To, uint64_t Length);

  FlatTable Batch;
  StringRef Body;
  FlatVector Nodes, Buffers, Views;
  uint64_t NextNode = 0, NextBuffer = 0, NextView = 0;
};

} // namespace

Error BatchReader::checkCoding() const {
  if (!Batch.table(record_batch::Compression).isThere())
    return Error::success();
  return make_error<UnsupportedError>(
      "", "the buffers of the Arrow stream are compressed: write them without "
          "compression");
}

Error BatchReader::moveTo(const PartCounts &Parts) {
  NextNode = Parts.Nodes;
  NextBuffer = Parts.Buffers;
  NextView = Parts.Views;
  if (Parts.Views > Views.Count)
    return malformedStream("a batch lacks numbers of buffers");
  for (uint64_t I = 0; I != Parts.Views; ++I) {
    auto Count = Batch.number<int64_t>(Views, I);
    if (Count < 0 || Count > int64_t(Buffers.Count))
      return malformedStream("an array has " + Twine(Count) + " buffers");
    NextBuffer += uint64_t(Count);
  }
  return Error::success();
}

/// The bytes of the next buffer.
Expected<StringRef> BatchReader::buffer() {
  if (NextBuffer >= Buffers.Count)
    return malformedStream("a batch lacks buffers");
  auto Offset = Batch.number<int64_t>(Buffers, 2 * NextBuffer);
  auto Size = Batch.number<int64_t>(Buffers, 2 * NextBuffer + 1);
  ++NextBuffer;
  if (Offset < 0 || Size < 0 || uint64_t(Offset) > Body.size() ||
      uint64_t(Size) > Body.size() - uint64_t(Offset))
    return malformedStream("a buffer is outside of the batch");
  return Body.substr(size_t(Offset), size_t(Size));
}

/// Adds the next buffer. It may be empty, if all rows are null, or else has at
/// least \p LeastSize bytes.
Error BatchReader::addBuffer(ReadArray &To, uint64_t LeastSize) {
  Expected<StringRef> Bytes = buffer();
  if (!Bytes)
    return Bytes.takeError();
  if (!Bytes->empty() && Bytes->size() < LeastSize)
    return malformedStream("a buffer has " + Twine(Bytes->size()) +
                           " bytes instead of " + Twine(LeastSize));
  To.Buffers.push_back(Bytes->empty() ? nullptr : Bytes->data());
  return Error::success();
}

template <typename T>
Error BatchReader::addStrings(ReadArray &To, uint64_t Length) {
  if (Error E = addBuffer(To, (Length + 1) * sizeof(T)))
    return E;
  const void *Offsets = To.Buffers.back();
  Expected<StringRef> Bytes = buffer();
  if (!Bytes)
    return Bytes.takeError();
  To.Buffers.push_back(Bytes->empty() ? nullptr : Bytes->data());
  for (uint64_t I = 0; Offsets && I != Length + 1; ++I) {
    T Offset;
    std::memcpy(&Offset, static_cast<const char *>(Offsets) + I * sizeof(T),
                sizeof(T));
    if (Offset < 0 || uint64_t(Offset) > Bytes->size())
      return malformedStream("a string is outside of its buffer");
  }
  return Error::success();
}

/// Columns.cpp checks the views, by the sizes of their buffers.
Error BatchReader::addViews(ReadArray &To, uint64_t Length) {
  if (NextView >= Views.Count)
    return malformedStream("a batch lacks numbers of buffers");
  auto Count = Batch.number<int64_t>(Views, NextView++);
  if (Count < 0 || Count > int64_t(Buffers.Count))
    return malformedStream("an array has " + Twine(Count) + " buffers");
  if (Error E = addBuffer(To, 16 * Length))
    return E;
  for (int64_t I = 0; I != Count; ++I) {
    Expected<StringRef> Bytes = buffer();
    if (!Bytes)
      return Bytes.takeError();
    To.Buffers.push_back(Bytes->data());
    To.Sizes.push_back(int64_t(Bytes->size()));
  }
  To.Buffers.push_back(To.Sizes.data());
  return Error::success();
}

Error BatchReader::addValues(StringRef Format, ReadArray &To, uint64_t Length) {
  if (Format == "u" || Format == "z")
    return addStrings<int32_t>(To, Length);
  if (Format == "U" || Format == "Z")
    return addStrings<int64_t>(To, Length);
  if (Format == "vu" || Format == "vz")
    return addViews(To, Length);
  uint64_t Size = 8;
  if (Format.consume_front("w:")) {
    // BuildIDColumn::setType() has checked the number.
    Format.getAsInteger(10, Size);
  } else {
    Size = StringRef("cC").contains(Format)   ? 1
           : StringRef("sS").contains(Format) ? 2
           : StringRef("iI").contains(Format) ? 4
                                              : 8;
  }
  return addBuffer(To, Size * Length);
}

Error BatchReader::read(StringRef Format, ReadArray &To) {
  if (NextNode >= Nodes.Count)
    return malformedStream("a batch lacks arrays");
  auto Length = Batch.number<int64_t>(Nodes, 2 * NextNode);
  auto Nulls = Batch.number<int64_t>(Nodes, 2 * NextNode + 1);
  ++NextNode;
  if (Length != length() || Length < 0 || Length > UINT32_MAX)
    return malformedStream("an array has " + Twine(Length) +
                           " rows in a batch of " + Twine(length()));
  if (Format != "n") {
    if (Error E = addBuffer(To, (uint64_t(Length) + 7) / 8))
      return E;
    if (Nulls != 0 && !To.Buffers.front() && Length != 0)
      return malformedStream("an array with nulls does not say which they are");
    if (Error E = addValues(Format, To, uint64_t(Length)))
      return E;
  }
  To.Array.length = Length;
  To.Array.null_count = Nulls;
  To.Array.n_buffers = int64_t(To.Buffers.size());
  To.Array.buffers = To.Buffers.data();
  // The bytes belong to the stream.
  To.Array.release = [](ArrowArray *) {};
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The stream
//===----------------------------------------------------------------------===//

namespace {

class StreamReader {
public:
  StreamReader(StringRef Stream, uint64_t MaxRows)
      : Rest(Stream), MaxRows(MaxRows), RowsLeft(MaxRows),
        WorkLeft(MaxRows + Stream.size()) {}

  Expected<IPCColumns> read();

private:
  /// Reads a message; false at the end.
  Expected<bool> readMessage();
  Error readHeader(HeaderType Type, FlatTable Header, StringRef Body);
  Error readSchema(FlatTable Schema);
  Error readDictionary(FlatTable Dictionary, StringRef Body);
  Error readBatch(FlatTable Batch, StringRef Body);
  Error read(BatchReader &From, const WantedColumn &C, ReadArray &To);

  StringRef Rest;
  const uint64_t MaxRows;
  uint64_t RowsLeft;
  /// Values of dictionaries that may still be read, again for each batch.
  uint64_t WorkLeft;
  std::optional<SchemaReader> Schema;
  /// The values of the last dictionary of build IDs.
  std::unique_ptr<ReadArray> Dictionary;
  IPCColumns Result;
};

} // namespace

static Error tooManyValues() {
  return make_error<LimitError>("", "too many build IDs in the dictionaries");
}

Error StreamReader::readSchema(FlatTable Table) {
  if (Schema)
    return malformedStream("it has two schemas");
  Schema.emplace();
  if (Error E = Schema->read(Table))
    return E;
  ArrowSchema OfDictionary;
  if (Error E = checkAddressType(Schema->Address.type(OfDictionary)))
    return E;
  return Result.BuildIDs.setType(Schema->BuildID.type(OfDictionary));
}

Error StreamReader::readDictionary(FlatTable Table, StringRef Body) {
  const WantedColumn &C = Schema->BuildID;
  if (C.IndexFormat.empty() ||
      Table.get<int64_t>(dictionary_batch::ID) != C.Dictionary)
    return Error::success();
  if (Table.get<uint8_t>(dictionary_batch::IsDelta))
    return make_error<UnsupportedError>(
        "", "a dictionary of the Arrow stream is written in parts");
  BatchReader Batch(Table.table(dictionary_batch::Data), Body);
  if (Error E = Batch.checkCoding())
    return E;
  auto Values = std::make_unique<ReadArray>();
  if (Error E = Batch.read(C.Format, *Values))
    return E;
  // A value takes more memory than in the stream.
  if (uint64_t(Values->Array.length) > MaxRows)
    return tooManyValues();
  Dictionary = std::move(Values);
  return Error::success();
}

/// Stores the column \p C in \p To.
Error StreamReader::read(BatchReader &From, const WantedColumn &C,
                         ReadArray &To) {
  if (Error E = From.moveTo(C.Before))
    return E;
  if (C.IndexFormat.empty())
    return From.read(C.Format, To);
  if (!Dictionary)
    return malformedStream("it lacks a dictionary");
  uint64_t Work = uint64_t(Dictionary->Array.length);
  if (Work > WorkLeft)
    return make_error<LimitError>(
        "", "too many batches use a dictionary: write fewer, larger ones");
  WorkLeft -= Work;
  if (Error E = From.read(C.IndexFormat, To))
    return E;
  To.Array.dictionary = &Dictionary->Array;
  return Error::success();
}

Error StreamReader::readBatch(FlatTable Table, StringRef Body) {
  BatchReader Batch(Table, Body);
  if (Error E = Batch.checkCoding())
    return E;
  if (Batch.length() < 0)
    return malformedStream("a batch has " + Twine(Batch.length()) + " rows");
  if (uint64_t(Batch.length()) > RowsLeft)
    return make_error<LimitError>("", "too many addresses in one request");
  RowsLeft -= uint64_t(Batch.length());
  ReadArray IDs, Addresses;
  if (Error E = read(Batch, Schema->BuildID, IDs))
    return E;
  if (Error E = Result.BuildIDs.add(IDs.Array))
    return E;
  if (Result.BuildIDs.values().size() - 1 > MaxRows)
    return tooManyValues();
  if (Error E = read(Batch, Schema->Address, Addresses))
    return E;
  Expected<AddressArray> Read = readAddresses(Addresses.Array);
  if (!Read)
    return Read.takeError();
  Result.Addresses.push_back(*Read);
  return Error::success();
}

Error StreamReader::readHeader(HeaderType Type, FlatTable Header,
                               StringRef Body) {
  if (Type == HeaderType::Schema)
    return readSchema(Header);
  if (!Schema)
    return malformedStream("it does not begin with a schema");
  if (Type == HeaderType::DictionaryBatch)
    return readDictionary(Header, Body);
  if (Type == HeaderType::RecordBatch)
    return readBatch(Header, Body);
  return make_error<UnsupportedError>(
      "", "the Arrow stream has messages of an unknown kind");
}

Expected<bool> StreamReader::readMessage() {
  if (Rest.empty())
    return false;
  FlatBytes Frame(Rest);
  bool IsFramed = Frame.read<uint32_t>(0) == Continuation;
  uint32_t Size = Frame.read<uint32_t>(4);
  if (!IsFramed || !Frame.has(8, Size))
    return malformedStream("a message is cut off, or no message");
  if (Size == 0)
    return false;
  FlatBytes Metadata(Rest.substr(8, Size));
  Rest = Rest.drop_front(8 + size_t(Size));
  FlatTable Message = FlatTable::root(Metadata);
  if (Message.get<int16_t>(message::Version) != MetadataV5)
    return make_error<UnsupportedError>(
        "", "the Arrow stream has another version than Arrow 1.0 and later");
  auto BodySize = Message.get<uint64_t>(message::BodyLength);
  if (BodySize > Rest.size())
    return malformedStream("a message is cut off");
  StringRef Body = Rest.take_front(size_t(BodySize));
  Rest = Rest.drop_front(size_t(BodySize));
  Error E = readHeader(HeaderType(Message.get<uint8_t>(message::HeaderType)),
                       Message.table(message::Header), Body);
  // The other errors are consequences.
  if (Metadata.isBroken()) {
    consumeError(std::move(E));
    return malformedStream("metadata refer to bytes outside of them");
  }
  if (E)
    return E;
  return true;
}

Expected<IPCColumns> StreamReader::read() {
  while (true) {
    Expected<bool> More = readMessage();
    if (!More)
      return More.takeError();
    if (!*More)
      break;
  }
  if (!Schema)
    return malformedStream("it is empty");
  return std::move(Result);
}

Expected<IPCColumns> arrow::readIPCStream(StringRef Stream, uint64_t MaxRows) {
  return StreamReader(Stream, MaxRows).read();
}
