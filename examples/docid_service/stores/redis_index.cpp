#include "redis_index.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace docid {

namespace {

constexpr std::size_t commands_together = 2000;   // number of commands that are sent before their replies are read
constexpr double max_sets = 100000;               // most sets that a search may read
constexpr const char* store_key = "DOCID_STORE";  // its value: the format, a blank, the identity of the mapping

std::optional<std::string> text_of(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_STRING) return std::nullopt;
  return std::string(reply.str, reply.len);
}

neardup::layout layout_of(int distance, int blocks) {
  if (!neardup::layout::is_valid(64, distance, blocks)) {
    throw std::runtime_error("--blocks " + std::to_string(blocks) + ": there is no such index for a distance of " +
                             std::to_string(distance));
  }
  const neardup::layout shape(64, distance, blocks);
  double sets = 0;
  shape.for_each_probe(distance, [&](const neardup::layout::table_probe& probe) {
    const auto width = static_cast<double>(shape.key_width(probe.table));
    double ways = 1;
    for (int flips = 0; flips <= probe.radius; ++flips) {
      sets += ways;
      ways *= (width - flips) / (flips + 1);
    }
  });
  if (sets > max_sets) {
    throw std::runtime_error("--blocks " + std::to_string(blocks) + ": a search within " + std::to_string(distance) +
                             " bits would ask Redis for more than 100,000 sets; more blocks need fewer");
  }
  return shape;
}

std::string host_of(const std::string& place, std::size_t colon) {
  if (colon > 1 && place.front() == '[' && place[colon - 1] == ']') return place.substr(1, colon - 2);
  return place.substr(0, colon);
}

}  // namespace

redis_connection::redis_connection(std::string place, const std::string& identity)
    : place_(std::move(place)), owner_(std::to_string(store_format) + ' ' + identity) {
  connect();
}

void redis_connection::fail(const std::string& message) {
  context_.reset();
  throw std::runtime_error("Redis at " + place_ + ": " + message);
}

void redis_connection::connect() {
  const timeval patience{5, 0};
  const std::size_t colon = place_.rfind(':');
  if (place_.starts_with('/')) {
    context_.reset(redisConnectUnixWithTimeout(place_.c_str(), patience));
  } else if (colon != std::string::npos && colon + 1 < place_.size() &&
             place_.find_first_not_of("0123456789", colon + 1) == std::string::npos) {
    context_.reset(
        redisConnectWithTimeout(host_of(place_, colon).c_str(), std::atoi(place_.c_str() + colon + 1), patience));
  } else {
    throw std::runtime_error("Redis: \"" + place_ + "\" is neither host:port nor the path of a socket");
  }
  if (!context_) throw std::bad_alloc();
  without_reply_ = 0;
  if (context_->err != 0) fail(context_->errstr);
  redisSetTimeout(context_.get(), patience);
  // redis-cli reads the same variable. A password on the command line could be read by every user of the machine.
  if (const char* const password = std::getenv("REDISCLI_AUTH")) {
    append({"AUTH", password});
    next();
  }
  own();
}

void redis_connection::own() {
  // Two stores in one database would mix their sets.
  append({"SET", store_key, owner_, "NX"});
  append({"GET", store_key});
  next();
  if (text_of(*next()) != owner_)
    fail(
        "this database has the index of another store, or an index of another format. Name another database, or empty "
        "this one: the service then fills it from the documents");
}

void redis_connection::start() {
  // If a pipeline was abandoned, its late replies would count as replies to the new pipeline.
  if (without_reply_ != 0) context_.reset();
  if (!context_) connect();
}

void redis_connection::append(std::initializer_list<std::string_view> words) {
  if (!context_) throw std::runtime_error("Redis at " + place_ + ": not connected");
  std::vector<const char*> data;
  std::vector<std::size_t> sizes;
  for (const std::string_view word : words) {
    data.push_back(word.data());
    sizes.push_back(word.size());
  }
  if (redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), data.data(), sizes.data()) != REDIS_OK)
    fail(context_->errstr);
  ++without_reply_;
}

redis_connection::reply redis_connection::next() {
  void* read = nullptr;
  if (!context_) throw std::runtime_error("Redis at " + place_ + ": not connected");
  if (redisGetReply(context_.get(), &read) != REDIS_OK) fail(context_->errstr);
  --without_reply_;
  reply result(static_cast<redisReply*>(read), freeReplyObject);
  if (result->type == REDIS_REPLY_ERROR) fail(std::string(result->str, result->len));
  return result;
}

redis_index::redis_index(redis_connection& connection, std::string prefix, int distance, int blocks)
    : connection_(connection),
      prefix_(std::move(prefix) + ':'),
      distance_(distance),
      keys_(layout_of(distance, blocks)),
      key_bytes_(keys_.range_of(0, 0).begin.size()) {
  known_key_ = prefix_ + "KNOWN:" + std::to_string(distance) + ':' + std::to_string(blocks);
}

std::uint64_t redis_index::known() {
  const auto ask = [&] {
    connection_.start();
    connection_.own();
    connection_.append({"GET", known_key_});
    known_ = text_of(*connection_.next());
  };
  try {
    ask();
  } catch (const std::runtime_error&) {
    ask();  // the connection may have been closed since its last use
  }
  return known_ ? std::strtoull(known_->c_str(), nullptr, 10) : 0;
}

void redis_index::prepare(std::span<const query_group* const> groups) {
  queries_.clear();
  for (const query_group* const group : groups) {
    queries_.insert(queries_.end(), group->prints.begin(), group->prints.end());
  }
  found_.assign(queries_.size(), {});
  struct asked {
    std::size_t query;
    std::size_t step;
    std::string key;
  };
  std::vector<asked> waiting;
  connection_.start();
  const auto read_all = [&] {
    for (const asked& one : waiting) {
      const auto set = connection_.next();
      for (std::size_t i = 0; i < set->elements; ++i) {
        const redisReply& member = *set->element[i];
        const auto match =
            keys_.match_of(one.key + std::string(member.str, member.len), *queries_[one.query], distance_, one.step);
        if (match) found_[one.query].push_back({match->id, match->distance});
      }
    }
    waiting.clear();
  };
  for (std::size_t query = 0; query < queries_.size(); ++query) {
    if (!queries_[query]) continue;
    keys_.for_each_range(*queries_[query], distance_, [&](const neardup::band_range& range, std::size_t step) {
      waiting.push_back({query, step, range.begin});
      connection_.append({"SMEMBERS", prefix_ + range.begin});
      if (waiting.size() == commands_together) read_all();
    });
  }
  read_all();
}

std::vector<candidate> redis_index::near(std::size_t query) {
  std::vector<candidate> result = found_[query];
  if (queries_[query]) {
    for (const entry& gone : erased_) {
      const int distance = hamming_distance(gone.print, *queries_[query]);
      std::erase_if(result,
                    [&](const candidate& one) { return one.document == gone.document && one.distance == distance; });
    }
    for (const entry& one : added_) {
      const int distance = hamming_distance(one.print, *queries_[query]);
      if (distance <= distance_) result.push_back({one.document, distance});
    }
  }
  std::sort(result.begin(), result.end(), [](const candidate& a, const candidate& b) {
    return std::tie(a.distance, a.document) < std::tie(b.distance, b.document);
  });
  return result;
}

void redis_index::confirm() {
  connection_.start();
  connection_.own();
  connection_.append({"GET", known_key_});
  if (text_of(*connection_.next()) != known_)
    throw std::runtime_error("Redis is not what it was when the transaction began; try again");
}

void redis_index::append_rows(const char* command, const entry& one) {
  keys_.for_each_row(one.print, one.document, [&](std::string_view row) {
    connection_.append({command, prefix_ + std::string(row.substr(0, key_bytes_)), row.substr(key_bytes_)});
  });
}

void redis_index::commit(std::uint64_t known) {
  // The sets and `known` change in one transaction of Redis. The transaction fails if Redis has lost data meanwhile, so
  // `known` is never ahead of the sets.
  connection_.start();
  connection_.append({"UNWATCH"});  // undoes the WATCH of an abandoned commit
  connection_.append({"WATCH", known_key_, store_key});
  connection_.next();
  connection_.next();
  confirm();
  std::size_t commands = 3;
  connection_.append({"MULTI"});
  const auto rows = [&](const char* command, const std::vector<entry>& entries) {
    for (const entry& one : entries) append_rows(command, one);
    commands += entries.size() * keys_.shape().table_count();
  };
  rows("SADD", added_);
  rows("SREM", erased_);
  connection_.append({"SET", known_key_, std::to_string(known)});
  connection_.append({"EXEC"});
  for (std::size_t i = 0; i < commands - 1; ++i) connection_.next();
  const auto done = connection_.next();
  if (done->type != REDIS_REPLY_ARRAY) throw std::runtime_error("Redis is not what it was when the transaction began");
  for (std::size_t i = 0; i < done->elements; ++i) {
    const redisReply& one = *done->element[i];
    if (one.type == REDIS_REPLY_ERROR) throw std::runtime_error("Redis: " + std::string(one.str, one.len));
  }
  known_ = std::to_string(known);
  rollback();
}

void redis_index::rollback() noexcept {
  added_.clear();
  erased_.clear();
}

}  // namespace docid
