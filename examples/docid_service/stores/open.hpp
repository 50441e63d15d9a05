// Which stores there are, by the options.
#pragma once

#include <memory>
#include <string>

#include "stores.hpp"

namespace docid {

struct store_options {
  std::string data = "docid_data";  ///< the folder
  std::string mariadb;              ///< an options file; empty: SQLite
  std::string redis;                ///< host:port, or the path of a socket; empty: the index is in memory
  std::string contents;             ///< sqlite, mariadb, rocksdb or hbase; empty: where the documents are
  std::string hbase;                ///< host:port of the master, with the contents there
  int blocks = 4;                   ///< of the index in Redis
};

/// Within how many bits fingerprints are searched for.
struct index_distances {
  int titles;
  int contents;
};

struct opened_stores {
  std::string place;                     ///< of the documents, for people
  std::shared_ptr<const void> stand_on;  ///< connections; end after the rest
  std::unique_ptr<fingerprint_index> urls, titles, bodies;
  std::unique_ptr<docid::mapping> mapping;
  std::unique_ptr<docid::contents> contents;
};

/// `composition`: what must stay the same as long as a store is used.
/// Throws: std::runtime_error if a store cannot be opened, or this program was built without it.
opened_stores open_stores(const store_options& options, const index_distances& distances,
                          const std::string& composition);

}  // namespace docid
