// The extension for DuckDB. It uses DuckDB's stable C interface of version 1.2.0. It registers the functions and the
// two table functions in a database. A table function cannot read a table, so it reads rows through a connection of the
// extension.
#include <duckdb_extension.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "near_duplicates.hpp"

DUCKDB_EXTENSION_EXTERN

namespace {

using near_duplicates::default_features;
using near_duplicates::default_measure;
using near_duplicates::join_arguments;
using near_duplicates::text_functions;

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

/// Owns a type, and destroys it at the end of the scope.
struct logical_type {
  duckdb_logical_type handle;

  explicit logical_type(duckdb_type id) : handle(duckdb_create_logical_type(id)) {}
  explicit logical_type(duckdb_logical_type owned) : handle(owned) {}
  logical_type(const logical_type&) = delete;
  logical_type& operator=(const logical_type&) = delete;
  ~logical_type() { duckdb_destroy_logical_type(&handle); }
};

std::string_view bytes_of(duckdb_string_t& text) { return {duckdb_string_t_data(&text), duckdb_string_t_length(text)}; }

/// A column: an argument of a call for many rows, or a column of a result.
struct column {
  void* data;
  uint64_t* valid;

  explicit column(duckdb_vector vector)
      : data(duckdb_vector_get_data(vector)), valid(duckdb_vector_get_validity(vector)) {}
  [[nodiscard]] bool is_null(idx_t row) const { return valid != nullptr && !duckdb_validity_row_is_valid(valid, row); }
  [[nodiscard]] std::string_view text(idx_t row) const { return bytes_of(static_cast<duckdb_string_t*>(data)[row]); }
  template <class T>
  [[nodiscard]] T at(idx_t row) const {
    return static_cast<const T*>(data)[row];
  }
};

// ---- Functions of one row ---------------------------------------------------------------------------------------------

struct rows_of_call {
  std::vector<column> columns;
  duckdb_vector result;

  [[nodiscard]] std::string_view text(std::size_t i, idx_t row, std::string_view otherwise) const {
    return i < columns.size() ? columns[i].text(row) : otherwise;
  }
  template <class T>
  void set(idx_t row, T value) const {
    static_cast<T*>(duckdb_vector_get_data(result))[row] = value;
  }
  void set(idx_t row, const std::string& bytes) const {
    duckdb_vector_assign_string_element_len(result, row, bytes.data(), bytes.size());
  }
  void set_null(idx_t row) const {
    duckdb_vector_ensure_validity_writable(result);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(result), row);
  }
};

void similarity(text_functions& functions, const rows_of_call& rows, idx_t i) {
  rows.set(i, functions.similarity(rows.columns[0].text(i), rows.columns[1].text(i), rows.text(2, i, default_measure),
                                   rows.text(3, i, default_features)));
}
void same(text_functions& functions, const rows_of_call& rows, idx_t i) {
  rows.set(i, functions.are_same(rows.columns[0].text(i), rows.columns[1].text(i), rows.columns[2].at<double>(i),
                                 rows.text(3, i, default_measure), rows.text(4, i, default_features)));
}
void simhash(text_functions& functions, const rows_of_call& rows, idx_t i) {
  const auto found = functions.simhash(rows.columns[0].text(i), rows.text(1, i, default_features));
  found ? rows.set(i, *found) : rows.set_null(i);
}
void wide_simhash(text_functions& functions, const rows_of_call& rows, idx_t i) {
  const auto found = functions.simhash(rows.columns[0].text(i), rows.columns[1].at<std::int64_t>(i),
                                       rows.text(2, i, default_features));
  found ? rows.set(i, *found) : rows.set_null(i);
}
void distance(text_functions& /*functions*/, const rows_of_call& rows, idx_t i) {
  rows.set(i, std::int32_t{
                  near_duplicates::distance(rows.columns[0].at<std::int64_t>(i), rows.columns[1].at<std::int64_t>(i))});
}
void wide_distance(text_functions& /*functions*/, const rows_of_call& rows, idx_t i) {
  rows.set(i, std::int32_t{near_duplicates::distance(rows.columns[0].text(i), rows.columns[1].text(i))});
}
void features(text_functions& functions, const rows_of_call& rows, idx_t i) {
  rows.set(i, functions.features(rows.columns[0].text(i), rows.text(1, i, default_features)));
}

constexpr auto text = DUCKDB_TYPE_VARCHAR;
constexpr auto integer = DUCKDB_TYPE_BIGINT;
constexpr auto real = DUCKDB_TYPE_DOUBLE;
constexpr auto blob = DUCKDB_TYPE_BLOB;

struct sql_function {
  const char* name;
  std::vector<duckdb_type> parameters;
  std::size_t least;  // number of parameters that must be given
  duckdb_type result;
  void (*call)(text_functions&, const rows_of_call&, idx_t row);
};

const std::vector<sql_function>& sql_functions() {
  static const std::vector<sql_function> all = {
      {"neardup_similarity", {text, text, text, text}, 2, real, similarity},
      {"neardup_same", {text, text, real, text, text}, 3, DUCKDB_TYPE_BOOLEAN, same},
      {"neardup_simhash", {text, text}, 1, integer, simhash},
      {"neardup_simhash", {text, integer, text}, 2, blob, wide_simhash},
      {"neardup_distance", {integer, integer}, 2, DUCKDB_TYPE_INTEGER, distance},
      {"neardup_distance", {blob, blob}, 2, DUCKDB_TYPE_INTEGER, wide_distance},
      {"neardup_features", {text, text}, 1, text, features},
  };
  return all;
}

void call(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& function = *static_cast<const sql_function*>(duckdb_scalar_function_get_extra_info(info));
  try {
    thread_local text_functions functions;
    rows_of_call rows{{}, output};
    for (idx_t i = 0; i < duckdb_data_chunk_get_column_count(input); ++i) {
      rows.columns.emplace_back(duckdb_data_chunk_get_vector(input, i));
    }
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
      const bool has_null =
          std::any_of(rows.columns.begin(), rows.columns.end(), [row](const column& one) { return one.is_null(row); });
      has_null ? rows.set_null(row) : function.call(functions, rows, row);
    }
  } catch (const std::exception& e) {
    duckdb_scalar_function_set_error(info, (std::string(function.name) + ": " + e.what()).c_str());
  }
}

bool add_functions(duckdb_connection connection) {
  const auto& all = sql_functions();
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
    const std::string name = all[first].name;
    const duckdb_scalar_function_set set = duckdb_create_scalar_function_set(name.c_str());
    for (end = first; end < all.size() && name == all[end].name; ++end) {
      const sql_function& one = all[end];
      for (std::size_t count = one.least; count <= one.parameters.size(); ++count) {
        duckdb_scalar_function function = duckdb_create_scalar_function();
        duckdb_scalar_function_set_name(function, one.name);
        for (std::size_t i = 0; i < count; ++i) {
          duckdb_scalar_function_add_parameter(function, logical_type(one.parameters[i]).handle);
        }
        duckdb_scalar_function_set_return_type(function, logical_type(one.result).handle);
        duckdb_scalar_function_set_special_handling(function);  // NULL arguments reach call()
        duckdb_scalar_function_set_extra_info(function, const_cast<sql_function*>(&one), nullptr);
        duckdb_scalar_function_set_function(function, call);
        duckdb_add_scalar_function_to_set(set, function);
        duckdb_destroy_scalar_function(&function);
      }
    }
    duckdb_scalar_function_set owned = set;
    const bool is_done = duckdb_register_scalar_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_scalar_function_set(&owned);
    if (!is_done) return false;
  }
  return true;
}

// ---- Table functions --------------------------------------------------------------------------------------------------

/// Connections of the extension. A query that reads the rows of a table function may itself call a table function, so
/// several connections are needed.
class connections {
 public:
  bool open(duckdb_database database) {
    duckdb_connection made = nullptr;
    if (duckdb_connect(database, &made) != DuckDBSuccess) return false;
    free_.push_back(made);
    return true;
  }
  ~connections() {
    for (duckdb_connection& one : free_) duckdb_disconnect(&one);
  }

  /// Takes a connection, which no other lease has until the end of the scope.
  class lease {
   public:
    explicit lease(connections& from) : from_(from) {
      const std::lock_guard lock(from_.mutex_);
      if (from_.free_.empty()) refuse("more joins run at once than the extension has connections");
      handle_ = from_.free_.back();
      from_.free_.pop_back();
    }
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    ~lease() {
      const std::lock_guard lock(from_.mutex_);
      from_.free_.push_back(handle_);  // memory is reserved, because the connection was in free_ before
    }
    [[nodiscard]] duckdb_connection get() const { return handle_; }

   private:
    connections& from_;
    duckdb_connection handle_;
  };

 private:
  std::mutex mutex_;
  std::vector<duckdb_connection> free_;
};

/// Owns a prepared statement and its result, and destroys both at the end of the scope.
struct statement {
  duckdb_prepared_statement handle = nullptr;
  duckdb_result result{};

  statement() = default;
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;
  ~statement() {
    duckdb_destroy_result(&result);
    duckdb_destroy_prepare(&handle);
  }

  /// Prepares a statement. Returns the error message, or an empty string.
  std::string prepare(duckdb_connection connection, const std::string& sql) {
    if (duckdb_prepare(connection, sql.c_str(), &handle) == DuckDBSuccess) {
      return duckdb_nparams(handle) > 0 ? "it has parameters, which no value can be bound to" : "";
    }
    const char* const error = duckdb_prepare_error(handle);
    return error == nullptr ? "the statement is refused" : error;
  }
  void check(duckdb_state state, const char* name) {
    if (state == DuckDBSuccess) return;
    const char* const error = duckdb_result_error(&result);
    refuse(std::string(name) + ": " + (error == nullptr ? "the query fails" : error));
  }
};

/// Owns a chunk of a result, and destroys it at the end of the scope. The handle is null after the last chunk.
struct data_chunk {
  duckdb_data_chunk handle;

  explicit data_chunk(duckdb_data_chunk owned) : handle(owned) {}
  data_chunk(const data_chunk&) = delete;
  data_chunk& operator=(const data_chunk&) = delete;
  ~data_chunk() { duckdb_destroy_data_chunk(&handle); }
};

/// Returns the number of bytes of a value of a type, or 0 for strings.
/// Throws: std::invalid_argument for types that ids cannot have.
std::size_t width_of(duckdb_logical_type type, const std::string& column) {
  duckdb_type id = duckdb_get_type_id(type);
  if (id == DUCKDB_TYPE_DECIMAL) id = duckdb_decimal_internal_type(type);
  if (id == DUCKDB_TYPE_ENUM) id = duckdb_enum_internal_type(type);
  switch (id) {
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_UTINYINT: return 1;
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_USMALLINT: return 2;
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DATE: return 4;
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP_NS:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
    case DUCKDB_TYPE_TIME: return 8;
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_UUID: return 16;
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB: return 0;
    default: refuse("id_column '" + column + "' has a type that ids cannot have: cast it to VARCHAR in a query");
  }
}

/// Returns true if the types are equal, so that the same bytes are the same value in both types.
bool are_equal(duckdb_logical_type a, duckdb_logical_type b) {
  const duckdb_type id = duckdb_get_type_id(a);
  if (id != duckdb_get_type_id(b)) return false;
  if (id == DUCKDB_TYPE_DECIMAL) {
    return duckdb_decimal_width(a) == duckdb_decimal_width(b) && duckdb_decimal_scale(a) == duckdb_decimal_scale(b);
  }
  if (id != DUCKDB_TYPE_ENUM) return true;
  const auto name_of = [](duckdb_logical_type of, idx_t i) {
    char* const chars = duckdb_enum_dictionary_value(of, i);
    std::string result(chars);
    duckdb_free(chars);
    return result;
  };
  const idx_t names = duckdb_enum_dictionary_size(a);
  if (names != duckdb_enum_dictionary_size(b)) return false;
  for (idx_t i = 0; i < names; ++i) {
    if (name_of(a, i) != name_of(b, i)) return false;
  }
  return true;
}

/// The result of bind(): the arguments, and the queries for the rows.
struct bound {
  join_arguments arguments;
  std::string queries[2];             // queries of the source and of `against`
  std::unique_ptr<logical_type> ids;  // the type of the ids
  std::size_t width = 0;              // bytes of an id; 0 for a string
};

/// The rows of the result, and the number of rows that were already passed to DuckDB.
struct joined {
  std::vector<near_duplicates::similar_rows> pairs;
  std::vector<near_duplicates::row_group> groups;
  near_duplicates::id_list ids[2];
  std::size_t at = 0;
};

struct table_function {
  std::shared_ptr<connections> own;
  bool are_groups;

  [[nodiscard]] const char* name() const { return are_groups ? "neardup_groups" : "neardup_pairs"; }
  [[nodiscard]] const char* flag() const { return are_groups ? "components" : "copies_once"; }
};

template <class T>
void destroy(void* object) {
  delete static_cast<T*>(object);
}

/// Owns a value of a parameter, and destroys it at the end of the scope.
struct parameter {
  duckdb_value handle;

  explicit parameter(duckdb_value owned) : handle(owned) {}
  parameter(const parameter&) = delete;
  parameter& operator=(const parameter&) = delete;
  ~parameter() {
    if (handle != nullptr) duckdb_destroy_value(&handle);
  }
  [[nodiscard]] bool is_given() const { return handle != nullptr && !duckdb_is_null_value(handle); }
  [[nodiscard]] std::optional<std::string> text() const {
    if (!is_given()) return std::nullopt;
    char* const chars = duckdb_get_varchar(handle);
    std::string result(chars);
    duckdb_free(chars);
    return result;
  }
};

join_arguments read_arguments(duckdb_bind_info info, const table_function& function) {
  const auto positional = [&](idx_t i) { return duckdb_bind_get_parameter(info, i); };
  const auto named = [&](const char* name) { return duckdb_bind_get_named_parameter(info, name); };
  join_arguments result;
  result.source = parameter(positional(0)).text();
  result.id_column = parameter(positional(1)).text();
  result.text_column = parameter(positional(2)).text();
  result.measure = parameter(named("measure")).text();
  result.features = parameter(named("features")).text();
  result.against = parameter(named("against")).text();
  const parameter least(positional(3)), common(named("min_common")), flag(named(function.flag()));
  if (least.is_given()) result.min_similarity = duckdb_get_double(least.handle);
  if (common.is_given()) result.min_common = duckdb_get_int64(common.handle);
  if (flag.is_given()) (function.are_groups ? result.components : result.copies_once) = duckdb_get_bool(flag.handle);
  return result;
}

/// Returns the type of the ids in the source, or in `against`. Throws: std::invalid_argument if texts are not VARCHAR.
duckdb_logical_type type_of_ids(duckdb_connection connection, const bound& of, bool of_against) {
  const char* const name = of_against ? "against" : "source";
  statement rows;
  rows.check(duckdb_query(connection, (of.queries[of_against ? 1 : 0] + " LIMIT 0").c_str(), &rows.result), name);
  if (duckdb_column_type(&rows.result, 1) != DUCKDB_TYPE_VARCHAR) {
    const auto& given = of_against ? of.arguments.against : of.arguments.source;
    refuse("text_column '" + of.arguments.text_column.value() + "' of " + name + " '" + given.value() +
           "' is not VARCHAR: cast it in a query");
  }
  return duckdb_column_logical_type(&rows.result, 0);
}

void bind(duckdb_bind_info info) {
  const auto& function = *static_cast<const table_function*>(duckdb_bind_get_extra_info(info));
  try {
    auto made = std::make_unique<bound>();
    made->arguments = read_arguments(info, function);
    static_cast<void>(near_duplicates::row_join(made->arguments));  // checks the arguments
    const connections::lease connection(*function.own);
    const auto error_of = [&](const std::string& sql) { return statement().prepare(connection.get(), sql); };
    made->queries[0] = near_duplicates::query_of_rows(made->arguments, "source", error_of);
    made->ids = std::make_unique<logical_type>(type_of_ids(connection.get(), *made, false));
    made->width = width_of(made->ids->handle, made->arguments.id_column.value());
    if (made->arguments.against) {
      made->queries[1] = near_duplicates::query_of_rows(made->arguments, "against", error_of);
      const logical_type others(type_of_ids(connection.get(), *made, true));
      if (!are_equal(made->ids->handle, others.handle)) {
        refuse("id_column '" + *made->arguments.id_column +
               "' has two types, in source and in against: cast it in a query");
      }
    }
    duckdb_bind_add_result_column(info, function.are_groups ? "id" : "a", made->ids->handle);
    duckdb_bind_add_result_column(info, function.are_groups ? "original" : "b", made->ids->handle);
    duckdb_bind_add_result_column(info, function.are_groups ? "size" : "similarity",
                                  logical_type(function.are_groups ? integer : real).handle);
    duckdb_bind_set_bind_data(info, made.release(), destroy<bound>);
  } catch (const std::exception& e) {
    duckdb_bind_set_error(info, (std::string(function.name()) + ": " + e.what()).c_str());
  }
}

void read_rows(duckdb_connection connection, const bound& of, bool of_against, near_duplicates::row_join& join,
               near_duplicates::id_list& ids) {
  const char* const name = of_against ? "against" : "source";
  statement rows;
  const std::string error = rows.prepare(connection, of.queries[of_against ? 1 : 0]);
  if (!error.empty()) refuse(std::string(name) + ": " + error);
  // Reads one chunk at a time, so that the texts are never all in memory.
  rows.check(duckdb_execute_prepared_streaming(rows.handle, &rows.result), name);
  const logical_type now(duckdb_column_logical_type(&rows.result, 0));
  if (!are_equal(of.ids->handle, now.handle) || duckdb_column_type(&rows.result, 1) != DUCKDB_TYPE_VARCHAR) {
    refuse(std::string(name) + ": the type of a column has changed since the query was prepared");
  }
  std::string id;
  while (true) {
    const data_chunk chunk(duckdb_fetch_chunk(rows.result));
    if (chunk.handle == nullptr) break;
    const column keys(duckdb_data_chunk_get_vector(chunk.handle, 0)),
        texts(duckdb_data_chunk_get_vector(chunk.handle, 1));
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk.handle); ++row) {
      id.assign(1, keys.is_null(row) ? '\0' : '\1');
      if (!keys.is_null(row)) {
        id.append(of.width == 0 ? keys.text(row)
                                : std::string_view(static_cast<const char*>(keys.data) + of.width * row, of.width));
      }
      ids.add(id);
      join.add(of_against, texts.is_null(row) ? std::nullopt : std::optional(texts.text(row)));
    }
  }
  const char* const late = duckdb_result_error(&rows.result);
  if (late != nullptr) refuse(std::string(name) + ": " + late);
}

void init(duckdb_init_info info) {
  const auto& function = *static_cast<const table_function*>(duckdb_init_get_extra_info(info));
  try {
    const auto& of = *static_cast<const bound*>(duckdb_init_get_bind_data(info));
    duckdb_init_set_max_threads(info, 1);
    auto made = std::make_unique<joined>();
    near_duplicates::row_join join(of.arguments);
    const connections::lease connection(*function.own);
    read_rows(connection.get(), of, false, join, made->ids[0]);
    if (of.arguments.against) read_rows(connection.get(), of, true, join, made->ids[1]);
    if (function.are_groups) {
      made->groups = join.groups();
    } else {
      made->pairs = join.pairs();
    }
    duckdb_init_set_init_data(info, made.release(), destroy<joined>);
  } catch (const std::exception& e) {
    duckdb_init_set_error(info, (std::string(function.name()) + ": " + e.what()).c_str());
  }
}

void set_id(duckdb_vector to, idx_t row, std::string_view id, std::size_t width) {
  if (id[0] == '\0') {
    duckdb_vector_ensure_validity_writable(to);
    return duckdb_validity_set_row_invalid(duckdb_vector_get_validity(to), row);
  }
  id.remove_prefix(1);
  if (width == 0) return duckdb_vector_assign_string_element_len(to, row, id.data(), id.size());
  std::memcpy(static_cast<char*>(duckdb_vector_get_data(to)) + width * row, id.data(), width);
}

void write_rows(duckdb_function_info info, duckdb_data_chunk output) {
  const auto& function = *static_cast<const table_function*>(duckdb_function_get_extra_info(info));
  const auto& of = *static_cast<const bound*>(duckdb_function_get_bind_data(info));
  auto& own = *static_cast<joined*>(duckdb_function_get_init_data(info));
  const duckdb_vector first = duckdb_data_chunk_get_vector(output, 0), second = duckdb_data_chunk_get_vector(output, 1);
  void* const third = duckdb_vector_get_data(duckdb_data_chunk_get_vector(output, 2));
  const std::size_t known = own.ids[1].size();
  const std::size_t left = (function.are_groups ? own.groups.size() : own.pairs.size()) - own.at;
  const idx_t count = std::min<idx_t>(left, duckdb_vector_size());
  for (idx_t row = 0; row < count; ++row, ++own.at) {
    if (function.are_groups) {
      const auto& [original, size] = own.groups[own.at];
      set_id(first, row, own.ids[0][own.at], of.width);
      set_id(second, row, original < known ? own.ids[1][original] : own.ids[0][original - known], of.width);
      static_cast<std::int64_t*>(third)[row] = size;
    } else {
      const auto& pair = own.pairs[own.at];
      set_id(first, row, own.ids[0][pair.first], of.width);
      set_id(second, row, own.ids[known > 0 ? 1 : 0][pair.second], of.width);
      static_cast<double*>(third)[row] = pair.similarity;
    }
  }
  duckdb_data_chunk_set_size(output, count);
}

bool add_table_function(duckdb_connection connection, const std::shared_ptr<connections>& own, bool are_groups) {
  duckdb_table_function made = duckdb_create_table_function();
  const auto* const of = new table_function{own, are_groups};
  duckdb_table_function_set_name(made, of->name());
  for (const duckdb_type type : {text, text, text, real}) {
    duckdb_table_function_add_parameter(made, logical_type(type).handle);
  }
  for (const char* const name : {"measure", "features", "against"}) {
    duckdb_table_function_add_named_parameter(made, name, logical_type(text).handle);
  }
  duckdb_table_function_add_named_parameter(made, "min_common", logical_type(integer).handle);
  duckdb_table_function_add_named_parameter(made, of->flag(), logical_type(DUCKDB_TYPE_BOOLEAN).handle);
  duckdb_table_function_set_extra_info(made, const_cast<table_function*>(of), destroy<table_function>);
  duckdb_table_function_set_bind(made, bind);
  duckdb_table_function_set_init(made, init);
  duckdb_table_function_set_function(made, write_rows);
  const bool is_done = duckdb_register_table_function(connection, made) == DuckDBSuccess;
  duckdb_destroy_table_function(&made);
  return is_done;
}

}  // namespace

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            struct duckdb_extension_access* access) {
  try {
    constexpr int joins_at_once = 8;
    const auto own = std::make_shared<connections>();
    bool is_done = true;
    for (int i = 0; i < joins_at_once; ++i) is_done = is_done && own->open(*access->get_database(info));
    is_done = is_done && add_functions(connection) && add_table_function(connection, own, false) &&
              add_table_function(connection, own, true);
    if (!is_done) access->set_error(info, "neardup: a function cannot be registered");
    return is_done;
  } catch (const std::exception& e) {
    access->set_error(info, e.what());
    return false;
  }
}
