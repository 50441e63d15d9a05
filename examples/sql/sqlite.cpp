// The extension for SQLite. It registers the functions and the two table-valued functions in a connection.
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "near_duplicates.hpp"

namespace {

using near_duplicates::join_arguments;

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

std::string_view bytes_of(sqlite3_value* value) {
  // sqlite3_value_text() converts a text to UTF-8, which changes its size. So the size is read afterwards.
  const void* const data =
      sqlite3_value_type(value) == SQLITE_BLOB ? sqlite3_value_blob(value) : sqlite3_value_text(value);
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  if (data == nullptr && size > 0) throw std::bad_alloc();
  return data == nullptr ? std::string_view("") : std::string_view(static_cast<const char*>(data), size);
}

bool is_number(sqlite3_value* value) {
  return sqlite3_value_type(value) == SQLITE_INTEGER || sqlite3_value_type(value) == SQLITE_FLOAT;
}

double number_of(sqlite3_value* value, const char* argument) {
  if (!is_number(value)) refuse(std::string(argument) + " is a number, not '" + std::string(bytes_of(value)) + "'");
  return sqlite3_value_double(value);
}

/// Returns `value` as an integer. Accepts a whole REAL, because languages such as JavaScript have no integers.
std::int64_t integer_of(sqlite3_value* value, const char* argument) {
  if (sqlite3_value_type(value) == SQLITE_INTEGER) return sqlite3_value_int64(value);
  if (sqlite3_value_type(value) == SQLITE_FLOAT) {
    const double number = sqlite3_value_double(value);
    if (number == std::floor(number) && std::fabs(number) < 0x1p53) return static_cast<std::int64_t>(number);
  }
  refuse(std::string(argument) + " is an integer, not '" + std::string(bytes_of(value)) + "'");
}

// ---- Functions of one row ---------------------------------------------------------------------------------------------

struct arguments_of_call {
  sqlite3_value** values;
  int count;

  sqlite3_value* operator[](int i) const { return values[i]; }
  [[nodiscard]] std::string_view text(int i, std::string_view otherwise = {}) const {
    return i < count ? bytes_of(values[i]) : otherwise;
  }
};

using near_duplicates::default_features;
using near_duplicates::default_measure;
using near_duplicates::text_functions;

void result_of_bytes(sqlite3_context* context, const std::string& bytes, bool is_text) {
  if (is_text) return sqlite3_result_text64(context, bytes.data(), bytes.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  sqlite3_result_blob64(context, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
}

void similarity(sqlite3_context* context, text_functions& functions, const arguments_of_call& given) {
  sqlite3_result_double(context, functions.similarity(given.text(0), given.text(1), given.text(2, default_measure),
                                                      given.text(3, default_features)));
}

void same(sqlite3_context* context, text_functions& functions, const arguments_of_call& given) {
  const double least = number_of(given[2], "min_similarity");
  sqlite3_result_int(context, functions.are_same(given.text(0), given.text(1), least, given.text(3, default_measure),
                                                 given.text(4, default_features))
                                  ? 1
                                  : 0);
}

void simhash(sqlite3_context* context, text_functions& functions, const arguments_of_call& given) {
  if (given.count == 1 || (given.count == 2 && !is_number(given[1]))) {
    const auto found = functions.simhash(given.text(0), given.text(1, default_features));
    return found ? sqlite3_result_int64(context, *found) : sqlite3_result_null(context);
  }
  const auto found = functions.simhash(given.text(0), integer_of(given[1], "bits"), given.text(2, default_features));
  return found ? result_of_bytes(context, *found, false) : sqlite3_result_null(context);
}

void distance(sqlite3_context* context, text_functions& /*functions*/, const arguments_of_call& given) {
  const int x = sqlite3_value_type(given[0]), y = sqlite3_value_type(given[1]);
  const auto check = [](int type, const char* argument) {
    if (type == SQLITE_INTEGER || type == SQLITE_BLOB) return;
    refuse(std::string(argument) + " is not a fingerprint, which is an integer or a blob");
  };
  check(x, "x");
  check(y, "y");
  if (x != y) refuse("x and y are not both integers or both blobs");
  sqlite3_result_int(context, x == SQLITE_BLOB
                                  ? near_duplicates::distance(given.text(0), given.text(1))
                                  : near_duplicates::distance(std::int64_t{sqlite3_value_int64(given[0])},
                                                              std::int64_t{sqlite3_value_int64(given[1])}));
}

void features(sqlite3_context* context, text_functions& functions, const arguments_of_call& given) {
  result_of_bytes(context, functions.features(given.text(0), given.text(1, default_features)), true);
}

struct sql_function {
  const char* name;
  int least, most;  // numbers of arguments
  void (*call)(sqlite3_context*, text_functions&, const arguments_of_call&);
};

constexpr sql_function sql_functions[] = {
    {"neardup_similarity", 2, 4, similarity}, {"neardup_same", 3, 5, same},         {"neardup_simhash", 1, 3, simhash},
    {"neardup_distance", 2, 2, distance},     {"neardup_features", 1, 2, features},
};

/// The data of a function in a connection. All functions of the connection share scratch memory.
struct registered {
  const sql_function* function;
  std::shared_ptr<text_functions> functions;
};

void call(sqlite3_context* context, int count, sqlite3_value** values) {
  const registered& own = *static_cast<registered*>(sqlite3_user_data(context));
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return sqlite3_result_null(context);
  }
  try {
    own.function->call(context, *own.functions, {values, count});
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::exception& e) {
    sqlite3_result_error(context, (std::string(own.function->name) + ": " + e.what()).c_str(), -1);
  }
}

// ---- Table-valued functions -------------------------------------------------------------------------------------------

/// The hidden columns. They are the arguments, in the order of their positions in a call.
enum argument {
  source,
  id_column,
  text_column,
  min_similarity,
  measure,
  features_name,
  against,
  min_common,
  last_flag
};
constexpr int arguments = last_flag + 1;
constexpr int visible = 3;  // columns of the result, which come before the hidden columns

struct table_function {
  const char* name;
  const char* declaration;
  bool are_groups;
};
constexpr table_function pairs_function{
    "neardup_pairs",
    "CREATE TABLE x(a, b, similarity REAL, source HIDDEN, id_column HIDDEN, text_column HIDDEN, min_similarity HIDDEN, "
    "measure HIDDEN, features HIDDEN, against HIDDEN, min_common HIDDEN, copies_once HIDDEN)",
    false};
constexpr table_function groups_function{
    "neardup_groups",
    "CREATE TABLE x(id, original, size INTEGER, source HIDDEN, id_column HIDDEN, text_column HIDDEN, "
    "min_similarity HIDDEN, measure HIDDEN, features HIDDEN, against HIDDEN, min_common HIDDEN, components HIDDEN)",
    true};

struct table : sqlite3_vtab {
  sqlite3* connection;
  const table_function* function;
};

struct cursor : sqlite3_vtab_cursor {
  std::optional<join_arguments> given;  // arguments of the result
  int changes = 0;                      // changes of the connection before the result
  std::vector<near_duplicates::similar_rows> pairs;
  std::vector<near_duplicates::row_group> groups;
  near_duplicates::id_list ids[2];  // ids of the source and of `against`
  std::size_t at = 0;
};

const table_function& function_of(const sqlite3_vtab* of) { return *static_cast<const table*>(of)->function; }

/// The error of a statement, with its number in SQLite, such as SQLITE_INTERRUPT.
struct failed_statement : std::runtime_error {
  failed_statement(int number, const std::string& message) : std::runtime_error(message), status(number) {}
  int status;
};

/// Calls `work`, and returns the status for SQLite. If `work` throws, sets the error message of the table `of`.
template <class Work>
int guarded(sqlite3_vtab* of, const Work& work) noexcept {
  const auto failed = [of](int status, const std::exception& e) {
    sqlite3_free(of->zErrMsg);
    of->zErrMsg = sqlite3_mprintf("%s: %s", function_of(of).name, e.what());
    return status;
  };
  try {
    work();
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const failed_statement& e) {
    return failed(e.status, e);
  } catch (const std::exception& e) {
    return failed(SQLITE_ERROR, e);
  }
}

int connect(sqlite3* connection, void* of, int, const char* const*, sqlite3_vtab** result, char**) {
  const auto* const function = static_cast<const table_function*>(of);
  const int status = sqlite3_declare_vtab(connection, function->declaration);
  if (status != SQLITE_OK) return status;
  auto* const made = new (std::nothrow) table{{}, connection, function};
  *result = made;
  return made == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int disconnect(sqlite3_vtab* of) {
  delete static_cast<table*>(of);
  return SQLITE_OK;
}

/// Sets bit i of `plan->idxNum` if argument i is given.
int best_index(sqlite3_vtab*, sqlite3_index_info* plan) {
  int constraint_of[arguments];
  std::fill_n(constraint_of, arguments, -1);
  for (int i = 0; i < plan->nConstraint; ++i) {
    const auto& constraint = plan->aConstraint[i];
    const bool is_equal = constraint.op == SQLITE_INDEX_CONSTRAINT_EQ || constraint.op == SQLITE_INDEX_CONSTRAINT_IS;
    if (constraint.iColumn < visible || !is_equal) continue;
    if (constraint.usable == 0) return SQLITE_CONSTRAINT;  // the argument comes from a table that is read later
    constraint_of[constraint.iColumn - visible] = i;
  }
  int given = 0;
  for (int i = 0; i < arguments; ++i) {
    if (constraint_of[i] < 0) continue;
    plan->aConstraintUsage[constraint_of[i]].argvIndex = ++given;
    plan->aConstraintUsage[constraint_of[i]].omit = 1;
    plan->idxNum |= 1 << i;
  }
  plan->estimatedCost = 1e9;  // high, so that a join is not repeated for each row of another table
  plan->estimatedRows = 10000;
  return SQLITE_OK;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** result) {
  auto* const made = new (std::nothrow) cursor;
  *result = made;
  return made == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int close(sqlite3_vtab_cursor* of) {
  delete static_cast<cursor*>(of);
  return SQLITE_OK;
}

join_arguments read_arguments(int given, sqlite3_value** values, bool are_groups) {
  join_arguments result;
  const auto text = [](sqlite3_value* value, const char* name) {
    if (sqlite3_value_type(value) != SQLITE_TEXT) refuse(std::string(name) + " is not a string");
    return std::string(bytes_of(value));
  };
  const auto flag = [](sqlite3_value* value, const char* name) {
    const std::int64_t number = integer_of(value, name);
    if (number != 0 && number != 1) refuse(std::string(name) + " is 0 or 1, not " + std::to_string(number));
    return number == 1;
  };
  for (int i = 0, next = 0; i < arguments; ++i) {
    if ((given >> i & 1) == 0) continue;
    sqlite3_value* const value = values[next++];
    if (sqlite3_value_type(value) == SQLITE_NULL) continue;  // NULL stands for the default
    switch (i) {
      case source: result.source = text(value, "source"); break;
      case id_column: result.id_column = text(value, "id_column"); break;
      case text_column: result.text_column = text(value, "text_column"); break;
      case min_similarity: result.min_similarity = number_of(value, "min_similarity"); break;
      case measure: result.measure = text(value, "measure"); break;
      case features_name: result.features = text(value, "features"); break;
      case against: result.against = text(value, "against"); break;
      case min_common: result.min_common = integer_of(value, "min_common"); break;
      default:
        (are_groups ? result.components : result.copies_once) = flag(value, are_groups ? "components" : "copies_once");
    }
  }
  return result;
}

/// Owns a statement, and finalises it at the end of the scope.
struct statement {
  sqlite3_stmt* handle = nullptr;

  statement() = default;
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;
  ~statement() { sqlite3_finalize(handle); }

  /// Prepares a statement. Returns the error message, or an empty string.
  std::string prepare(sqlite3* connection, const std::string& sql) {
    const char* behind = nullptr;
    if (sqlite3_prepare_v2(connection, sql.c_str(), -1, &handle, &behind) != SQLITE_OK) {
      return sqlite3_errmsg(connection);
    }
    if (behind != nullptr && *behind != 0) return "it is more than one statement";
    return sqlite3_bind_parameter_count(handle) > 0 ? "it has parameters, which no value can be bound to" : "";
  }
};

/// Returns the id in column 0 of `row`, as a byte for its type and the bytes of its value. A number has 8 bytes.
std::string bytes_of_id(sqlite3_stmt* row) {
  const int type = sqlite3_column_type(row, 0);
  std::string result(1, static_cast<char>(type));
  const auto append = [&](auto number) { result.append(reinterpret_cast<const char*>(&number), sizeof(number)); };
  if (type == SQLITE_INTEGER) append(sqlite3_column_int64(row, 0));
  if (type == SQLITE_FLOAT) append(sqlite3_column_double(row, 0));
  if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
    const void* const data = type == SQLITE_TEXT ? sqlite3_column_text(row, 0) : sqlite3_column_blob(row, 0);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row, 0));
    if (data != nullptr) result.append(static_cast<const char*>(data), size);
  }
  return result;
}

void result_of_id(sqlite3_context* context, std::string_view id) {
  const int type = id[0];
  id.remove_prefix(1);
  const auto number = [&](auto value) {
    std::memcpy(&value, id.data(), sizeof(value));
    return value;
  };
  switch (type) {
    case SQLITE_INTEGER: return sqlite3_result_int64(context, number(sqlite3_int64{}));
    case SQLITE_FLOAT: return sqlite3_result_double(context, number(double{}));
    case SQLITE_TEXT: return result_of_bytes(context, std::string(id), true);
    case SQLITE_BLOB: return result_of_bytes(context, std::string(id), false);
    default: sqlite3_result_null(context);
  }
}

void read_rows(sqlite3* connection, const join_arguments& given, bool of_against, near_duplicates::row_join& join,
               near_duplicates::id_list& ids) {
  const char* const name = of_against ? "against" : "source";
  const std::string sql = near_duplicates::query_of_rows(
      given, name, [&](const std::string& tried) { return statement().prepare(connection, tried); });
  statement rows;
  const std::string error = rows.prepare(connection, sql);
  if (!error.empty()) refuse(std::string(name) + ": " + error);
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(rows.handle)) == SQLITE_ROW) {
    ids.add(bytes_of_id(rows.handle));
    const int type = sqlite3_column_type(rows.handle, 1);
    if (type == SQLITE_NULL) {
      join.add(of_against, std::nullopt);
      continue;
    }
    const void* const data =
        type == SQLITE_BLOB ? sqlite3_column_blob(rows.handle, 1) : sqlite3_column_text(rows.handle, 1);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(rows.handle, 1));
    join.add(of_against,
             data == nullptr ? std::string_view("") : std::string_view(static_cast<const char*>(data), size));
  }
  if (status == SQLITE_NOMEM) throw std::bad_alloc();
  if (status != SQLITE_DONE) throw failed_statement(status, std::string(name) + ": " + sqlite3_errmsg(connection));
}

/// Counts the nested joins of a thread. Joins are nested if a view reads itself through a table function.
class nesting {
 public:
  nesting() {
    if (depth == most) refuse("more than " + std::to_string(most) + " joins are nested");
    ++depth;
  }
  nesting(const nesting&) = delete;
  nesting& operator=(const nesting&) = delete;
  ~nesting() { --depth; }

 private:
  static constexpr int most = 8;
  static thread_local int depth;
};
thread_local int nesting::depth = 0;

/// Ends a join if the query is interrupted. SQLite 3.40 has no function that reports an interrupt, but an interrupted
/// connection runs no statement.
class interruption {
 public:
  explicit interruption(sqlite3* connection) : connection_(connection) {
    const std::string error = probe_.prepare(connection, "SELECT 1");
    if (!error.empty()) throw failed_statement(sqlite3_errcode(connection), error);
  }
  void check() const {
    const int status = sqlite3_step(probe_.handle);
    sqlite3_reset(probe_.handle);
    if (status != SQLITE_ROW) throw failed_statement(status, sqlite3_errmsg(connection_));
  }

 private:
  sqlite3* connection_;
  statement probe_;
};

int filter(sqlite3_vtab_cursor* of, int given, const char*, int, sqlite3_value** values) {
  return guarded(of->pVtab, [&] {
    sqlite3* const connection = static_cast<table*>(of->pVtab)->connection;
    const bool are_groups = function_of(of->pVtab).are_groups;
    auto& own = *static_cast<cursor*>(of);
    const join_arguments all = read_arguments(given, values, are_groups);
    const int changes = sqlite3_total_changes(connection);
    own.at = 0;
    if (own.given == all && own.changes == changes) return;  // an inner loop of the query reads the same rows again
    own.given.reset();
    own.pairs.clear();
    own.groups.clear();
    own.ids[0] = own.ids[1] = {};
    const nesting one_more;
    near_duplicates::row_join join(all);
    read_rows(connection, all, false, join, own.ids[0]);
    if (all.against) read_rows(connection, all, true, join, own.ids[1]);
    const interruption interrupted(connection);
    const auto check = [&] { interrupted.check(); };
    if (are_groups) {
      own.groups = join.groups(check);
    } else {
      own.pairs = join.pairs(check);
    }
    own.given = all;
    own.changes = changes;
  });
}

int next(sqlite3_vtab_cursor* of) {
  ++static_cast<cursor*>(of)->at;
  return SQLITE_OK;
}

int is_at_end(sqlite3_vtab_cursor* of) {
  const auto& own = *static_cast<cursor*>(of);
  return own.at >= (function_of(of->pVtab).are_groups ? own.groups.size() : own.pairs.size()) ? 1 : 0;
}

/// Makes argument `number` the result of `context`. If `given` does not have the argument, takes its default.
void result_of_argument(sqlite3_context* context, const join_arguments& given, int number) {
  const auto text = [context](const std::optional<std::string>& value, const char* otherwise = nullptr) {
    if (value) return result_of_bytes(context, *value, true);
    if (otherwise != nullptr) result_of_bytes(context, otherwise, true);
  };
  switch (number) {
    case source: return text(given.source);
    case id_column: return text(given.id_column);
    case text_column: return text(given.text_column);
    case min_similarity: return sqlite3_result_double(context, given.min_similarity.value());
    case measure: return text(given.measure, default_measure);
    case features_name: return text(given.features, given.measure == "edit" ? nullptr : default_features);
    case against: return text(given.against);
    case min_common:
      if (given.min_common) sqlite3_result_int64(context, *given.min_common);
      return;
    default: sqlite3_result_int(context, given.copies_once || given.components ? 1 : 0);
  }
}

int column(sqlite3_vtab_cursor* of, sqlite3_context* context, int number) {
  return guarded(of->pVtab, [&] {
    const auto& own = *static_cast<cursor*>(of);
    if (number >= visible) return result_of_argument(context, own.given.value(), number - visible);
    const std::size_t known = own.ids[1].size();
    if (function_of(of->pVtab).are_groups) {
      const auto& [original, size] = own.groups[own.at];
      if (number == 0) return result_of_id(context, own.ids[0][own.at]);
      if (number == 2) return sqlite3_result_int64(context, size);
      return result_of_id(context, original < known ? own.ids[1][original] : own.ids[0][original - known]);
    }
    const auto& pair = own.pairs[own.at];
    if (number == 0) return result_of_id(context, own.ids[0][pair.first]);
    if (number == 2) return sqlite3_result_double(context, pair.similarity);
    result_of_id(context, own.ids[known > 0 ? 1 : 0][pair.second]);
  });
}

int row_id(sqlite3_vtab_cursor* of, sqlite3_int64* result) {
  *result = static_cast<sqlite3_int64>(static_cast<cursor*>(of)->at);
  return SQLITE_OK;
}

sqlite3_module make_module() {
  sqlite3_module made{};
  made.xConnect = connect;  // a function without xCreate is a table-valued function
  made.xBestIndex = best_index;
  made.xDisconnect = disconnect;
  made.xOpen = open;
  made.xClose = close;
  made.xFilter = filter;
  made.xNext = next;
  made.xEof = is_at_end;
  made.xColumn = column;
  made.xRowid = row_id;
  return made;
}

int add_to(sqlite3* connection) {
  static const sqlite3_module module = make_module();
  const auto shared = std::make_shared<text_functions>();
  for (const sql_function& one : sql_functions) {
    for (int count = one.least; count <= one.most; ++count) {
      // SQLite deletes the object also if the call fails.
      const int status =
          sqlite3_create_function_v2(connection, one.name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                     new registered{&one, shared}, call, nullptr, nullptr,
                                     [](void* object) { delete static_cast<registered*>(object); });
      if (status != SQLITE_OK) return status;
    }
  }
  for (const table_function* one : {&pairs_function, &groups_function}) {
    const int status =
        sqlite3_create_module_v2(connection, one->name, &module, const_cast<table_function*>(one), nullptr);
    if (status != SQLITE_OK) return status;
  }
  return SQLITE_OK;
}

}  // namespace

#ifdef _WIN32
#define NEARDUP_EXPORT __declspec(dllexport)
#else
#define NEARDUP_EXPORT __attribute__((visibility("default")))
#endif

/// The entry point. SQLite derives its name from the name of the file, neardup_sqlite.so, without the underscore.
extern "C" NEARDUP_EXPORT int sqlite3_neardupsqlite_init(sqlite3* connection, char** error,
                                                         const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api)
  try {
    return add_to(connection);
  } catch (const std::exception& e) {
    *error = sqlite3_mprintf("neardup: %s", e.what());
    return SQLITE_ERROR;
  }
}
