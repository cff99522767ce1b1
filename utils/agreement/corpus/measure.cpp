// The corpus' leveldb: uses a database in memory. The only thread besides that
// of main runs while main waits for it, so that runs do not differ.
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"
#include "memenv.h"
#include <cstdio>
#include <string>

static std::string key(int I) {
  return "key" + std::to_string(I * 7919 % 1009);
}

int main() {
  leveldb::Options Options;
  Options.create_if_missing = true;
  Options.env = leveldb::NewMemEnv(leveldb::Env::Default());
  Options.filter_policy = leveldb::NewBloomFilterPolicy(10);
  Options.block_cache = leveldb::NewLRUCache(1 << 16);
  leveldb::DB *DB;
  leveldb::Status Status = leveldb::DB::Open(Options, "/db", &DB);
  if (!Status.ok()) {
    std::puts(Status.ToString().c_str());
    return 1;
  }
  for (int Round = 0; Round < 2; ++Round) {
    for (int I = 0; I < 1000; ++I)
      DB->Put(leveldb::WriteOptions(), key(I), std::string(50 + I % 100, 'x'));
    leveldb::WriteBatch Batch;
    for (int I = 0; I < 100; ++I)
      Batch.Delete(key(3 * I));
    DB->Write(leveldb::WriteOptions(), &Batch);
    DB->CompactRange(nullptr, nullptr);
  }
  std::string Value;
  size_t Size = 0;
  for (int I = 0; I < 500; ++I)
    if (DB->Get(leveldb::ReadOptions(), key(I), &Value).ok())
      Size += Value.size();
  leveldb::Iterator *Entry = DB->NewIterator(leveldb::ReadOptions());
  for (Entry->SeekToLast(); Entry->Valid(); Entry->Prev())
    Size += Entry->value().size();
  delete Entry;
  DB->GetProperty("leveldb.stats", &Value);
  std::printf("%zu\n%s", Size, Value.c_str());
  delete DB;
  return 0;
}
