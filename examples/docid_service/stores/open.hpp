// Opens the stores that the options name.
#pragma once

#include <memory>
#include <string>

#include "mapping.hpp"
#include "stores.hpp"

namespace docid {

struct store_options {
  std::string data = "docid_data";  ///< the folder of all files
  std::string mariadb;              ///< an options file; if empty, SQLite is used
  std::string redis;                ///< host:port, or the path of a socket; if empty, the index is in memory
  std::string contents;             ///< sqlite, mariadb, rocksdb or hbase; if empty, the store of the documents
  std::string hbase;                ///< host:port of HBase's master, if the contents are there
  int blocks = 4;                   ///< number of blocks of the index in Redis
};

/// The distance in bits within which fingerprints are searched.
struct index_distances {
  int titles;
  int contents;
};

struct opened_stores {
  std::string place;                     ///< the place of the documents, as people read it
  std::shared_ptr<const void> stand_on;  ///< the connections; destroyed after the stores
  std::unique_ptr<fingerprint_index> urls, titles, bodies;
  std::unique_ptr<docid::mapping> mapping;
  std::unique_ptr<docid::contents> contents;
};

/// Opens the stores. `composition`: the settings that must not change while a store is in use.
/// Throws: std::runtime_error if a store cannot be opened, or if the program was built without this kind of store.
opened_stores open_stores(const store_options& options, const index_distances& distances,
                          const std::string& composition);

}  // namespace docid
