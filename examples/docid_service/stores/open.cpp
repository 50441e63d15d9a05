#include "open.hpp"

#include <filesystem>
#include <stdexcept>

#if defined(DOCID_MARIADB)
#include "mariadb_store.hpp"
#endif
#include "hbase_contents.hpp"
#include "memory_index.hpp"
#if defined(DOCID_REDIS)
#include "redis_index.hpp"
#endif
#if defined(DOCID_ROCKSDB)
#include "rocksdb_contents.hpp"
#endif
#include "sqlite_store.hpp"

namespace docid {

namespace {

[[noreturn, maybe_unused]] void refuse_store(const std::string& option, const std::string& packages) {
  throw std::runtime_error(option + ": this program was built without it; install " + packages + " and build it anew");
}

struct connections {
  std::unique_ptr<sqlite_database> sqlite;
#if defined(DOCID_MARIADB)
  std::unique_ptr<mariadb_connection> mariadb;
#endif
#if defined(DOCID_REDIS)
  std::unique_ptr<redis_connection> redis;
#endif

  [[nodiscard]] std::string identity(const opened_stores& made) const {
#if defined(DOCID_MARIADB)
    if (mariadb) return mariadb->identity();
#endif
    return made.mapping->identity();
  }
};

void open_documents(const store_options& options, const std::string& composition, connections& on,
                    opened_stores& made) {
  if (options.mariadb.empty()) {
    made.place = options.data;
    on.sqlite = std::make_unique<sqlite_database>(options.data + "/docid.sqlite", composition);
    made.mapping = std::make_unique<sqlite_mapping>(*on.sqlite);
    return;
  }
#if defined(DOCID_MARIADB)
  made.place = "MariaDB";
  on.mariadb = std::make_unique<mariadb_connection>(options.mariadb, composition);
#else
  refuse_store("--mariadb", "libmariadb-dev");
#endif
}

void open_index(const store_options& options, const index_distances& distances, [[maybe_unused]] connections& on,
                opened_stores& made) {
  if (options.redis.empty()) {
    made.titles = std::make_unique<memory_index>(distances.titles);
    made.bodies = std::make_unique<memory_index>(distances.contents);
    return;
  }
#if defined(DOCID_REDIS)
  on.redis = std::make_unique<redis_connection>(options.redis, on.identity(made));
  const auto index = [&](const char* prefix, int distance, int blocks) {
    return std::make_unique<redis_index>(*on.redis, prefix, distance, blocks);
  };
  made.titles = index("TITLE_INDEX", distances.titles, options.blocks);
  made.bodies = index("CONTENT_INDEX", distances.contents, options.blocks);
  // SQLite's mapping has the urls in memory, so it needs no index of urls.
  if (!options.mariadb.empty()) made.urls = index("URL_INDEX", 0, 1);
#else
  refuse_store("--redis", "libhiredis-dev");
#endif
}

void open_contents(const store_options& options, const connections& on, opened_stores& made) {
  const std::string own = options.mariadb.empty() ? "sqlite" : "mariadb";
  const std::string name = options.contents.empty() ? own : options.contents;
  if ((name == "hbase") == options.hbase.empty())
    throw std::runtime_error("--contents hbase needs --hbase HOST:PORT, and --hbase needs --contents hbase");
  if (name == "hbase") {
    made.contents = std::make_unique<hbase_contents>(options.hbase, on.identity(made));
  } else if (name == "rocksdb") {
#if defined(DOCID_ROCKSDB)
    made.contents = std::make_unique<rocksdb_contents>(options.data + "/contents");
#else
    refuse_store("--contents rocksdb", "librocksdb-dev");
#endif
  } else if (name == "sqlite" && on.sqlite) {
    made.contents = std::make_unique<sqlite_contents>(*on.sqlite);
#if defined(DOCID_MARIADB)
  } else if (name == "mariadb" && on.mariadb) {
    made.contents = std::make_unique<mariadb_contents>(*on.mariadb);
#endif
  } else {
    throw std::runtime_error("--contents " + name + ": must be rocksdb, hbase, or the store of the documents (" + own +
                             ")");
  }
}

}  // namespace

opened_stores open_stores(const store_options& options, const index_distances& distances,
                          const std::string& composition) {
  std::filesystem::create_directories(options.data);
  opened_stores made;
  const auto on = std::make_shared<connections>();
  made.stand_on = on;
  open_documents(options, composition, *on, made);
  open_index(options, distances, *on, made);
#if defined(DOCID_MARIADB)
  if (on->mariadb) made.mapping = std::make_unique<mariadb_mapping>(*on->mariadb, made.urls.get());
#endif
  open_contents(options, *on, made);
  return made;
}

}  // namespace docid
