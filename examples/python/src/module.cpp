// The module neardup._native converts Python objects for the C interface, and results to Python objects. Users call it
// through neardup/__init__.py.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "arrow_types.hpp"
#include "neardup.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace)

namespace {

// ---- Calls -----------------------------------------------------------------------------------------------------------

/// Throws the Python exception for `error.status`, unless the status is NEARDUP_OK.
void check(const neardup_error& error) {
  switch (error.status) {
    case NEARDUP_OK: return;
    case NEARDUP_INVALID: throw nb::value_error(error.message);
    case NEARDUP_TOO_LARGE: PyErr_SetString(PyExc_OverflowError, error.message); break;
    case NEARDUP_NO_MEMORY: PyErr_SetString(PyExc_MemoryError, error.message); break;
    case NEARDUP_FAILED: PyErr_SetString(PyExc_OSError, error.message); break;
    default: PyErr_SetString(PyExc_RuntimeError, error.message); break;
  }
  throw nb::python_error();
}

/// Calls `call`. If `call` throws, sets `error` instead, because no exception may leave a thread. The exception is
/// always std::bad_alloc, because the C interface reports all other errors by `error`.
template <class Call>
void call_guarded(const Call& call, const neardup_run& run, neardup_error& error) noexcept {
  try {
    call(&run, &error);
  } catch (...) {
    error.status = NEARDUP_NO_MEMORY;
    std::strcpy(error.message, "there is not enough memory");
  }
}

/// Settings of a call: the number of threads, and a function for its progress, or None.
struct running {
  std::size_t threads = 0;
  nb::object progress = nb::none();

  running(std::size_t count) : threads(count) {}  // NOLINT(google-explicit-constructor)
  running(const nb::tuple& given)                 // NOLINT(google-explicit-constructor)
      : threads(nb::cast<std::size_t>(given[0])), progress(given[1]) {}
};

/// The progress of a call of the C interface: the number of processed texts, and the number of all texts (0 if
/// unknown).
struct progress_state {
  std::atomic<std::uint64_t> done = 0, all = 0;
  std::uint64_t told = 0;  // the value of `done` at the last call of the Python function

  static void take(void* self, std::uint64_t done, std::uint64_t all) {
    static_cast<progress_state*>(self)->all = all;
    static_cast<progress_state*>(self)->done = done;
  }
  /// Calls the Python function if the progress has changed. Throws: the exception of the function.
  void tell(const nb::object& progress) {
    const std::uint64_t now = done;
    if (progress.is_none() || now == told) return;
    told = now;
    progress(now, all == 0 ? nb::none() : nb::object(nb::int_(all.load())));
  }
};

/// Calls `call(run, error)` without the GIL. The call must not take long.
template <class Call>
void call_now(const running& how, const Call& call) {
  const neardup_run run{how.threads, nullptr, nullptr, nullptr};
  neardup_error error{};
  {
    const nb::gil_scoped_release release;
    call_guarded(call, run, error);
  }
  check(error);
}

/// Starts a new thread for a call that may take long. Meanwhile this thread handles signals, such as SIGINT of Ctrl-C,
/// and reports the progress. An exception of a signal handler or of the progress function ends the call.
template <class Call>
void call_long(const running& how, const Call& call) {
  volatile int cancel = 0;
  progress_state at;
  const neardup_run run{how.threads, &cancel, how.progress.is_none() ? nullptr : progress_state::take, &at};
  std::optional<nb::python_error> raised;
  const auto look_up = [&] {
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      at.tell(how.progress);
    } catch (nb::python_error& e) {
      raised.emplace(std::move(e));
      cancel = 1;
    }
  };
  neardup_error error{};
  std::mutex mutex;
  std::condition_variable ends;
  bool has_ended = false;
  {
    const nb::gil_scoped_release release;
    std::thread worker;
    const auto work = [&] {
      call_guarded(call, run, error);
      const std::lock_guard lock(mutex);
      has_ended = true;
      ends.notify_one();
    };
    try {
      worker = std::thread(work);
    } catch (const std::system_error&) {  // no thread could be started
      work();
    }
    for (std::unique_lock lock(mutex); !has_ended;) {
      ends.wait_for(lock, std::chrono::milliseconds(50));
      if (has_ended || raised) continue;
      lock.unlock();
      {
        const nb::gil_scoped_acquire acquire;
        look_up();
      }
      lock.lock();
    }
    if (worker.joinable()) worker.join();
  }
  if (raised) throw nb::python_error(std::move(*raised));
  check(error);
  at.tell(how.progress);
}

/// Returns true if the work for an input takes about as long as the start of a thread, or less. `count`: the number of
/// texts, sets or codes; `bytes`: their total size.
bool is_small(std::size_t count, std::size_t bytes) { return count < 64 && bytes < std::size_t{1} << 16; }

/// Makes a call on this thread if its input is small and no progress is reported. Otherwise uses call_long().
template <class Call>
void call_either(const running& how, bool is_input_small, const Call& call) {
  if (is_input_small && how.progress.is_none()) return call_now(1, call);
  call_long(how, call);
}

// ---- Inputs ---------------------------------------------------------------------------------------------------------

template <class Structure>
Structure* from_capsule(nb::handle capsule, const char* name) {
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  return static_cast<Structure*>(pointer);
}

std::string name_of_type(nb::handle object) { return nb::cast<std::string>(nb::str(object.type().attr("__name__"))); }

/// The Arrow structures of a Python object that has Arrow's PyCapsule interface. `owner` keeps the structures alive.
struct arrow_object {
  nb::object owner;
  const ArrowSchema* schema = nullptr;
  const ArrowArray* array = nullptr;
  ArrowArrayStream* stream = nullptr;

  /// Sets the members from `object`. Returns: false if `object` does not have the interface.
  bool open(nb::handle object) {
    if (PyType_Check(object.ptr())) return false;
    if (nb::hasattr(object, "__arrow_c_stream__")) {
      owner = object.attr("__arrow_c_stream__")();
      stream = from_capsule<ArrowArrayStream>(owner, "arrow_array_stream");
    } else if (nb::hasattr(object, "__arrow_c_array__")) {
      owner = object.attr("__arrow_c_array__")();
      schema = from_capsule<ArrowSchema>(owner[0], "arrow_schema");
      array = from_capsule<ArrowArray>(owner[1], "arrow_array");
    } else {
      return false;
    }
    const bool is_released =
        stream != nullptr ? stream->release == nullptr : schema->release == nullptr || array->release == nullptr;
    if (is_released) throw nb::value_error("the Arrow data of the object were released before");
    return true;
  }
};

/// Texts of Python, with all objects that keep them alive.
class text_input {
 public:
  explicit text_input(nb::handle object) {
    if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr())) {
      throw nb::type_error("give a list of texts, not one text");
    }
    // A list has no such interface, and each look-up of a missing attribute takes about 100 ns.
    const bool is_list = PyList_CheckExact(object.ptr()) || PyTuple_CheckExact(object.ptr());
    if (!is_list && arrow_.open(object)) {
      input.schema = arrow_.schema;
      input.array = arrow_.array;
      input.stream = arrow_.stream;
      return;
    }
    nb::object sequence = nb::borrow(object);
    if (!is_list && nb::hasattr(object, "dtype") && nb::hasattr(object, "tolist")) {
      if (nb::hasattr(object, "ndim") && nb::cast<int>(object.attr("ndim")) != 1) {
        throw nb::value_error("texts must be an array of one dimension");
      }
      sequence = object.attr("tolist")();
    }
    if (PyDict_Check(object.ptr()) || PyAnySet_Check(object.ptr()) || PyByteArray_Check(object.ptr()) ||
        PyMemoryView_Check(object.ptr())) {
      throw nb::type_error(("texts must be a list, an array or a column, not " + name_of_type(object)).c_str());
    }
    // The texts are copied to a tuple, because the caller's list may change while it is read.
    PyObject* const made = PySequence_Tuple(sequence.ptr());
    if (made == nullptr) {
      nb::python_error raised;
      // If an iterator throws, the exception is passed on to the caller.
      if (nb::hasattr(object.type(), "__iter__") || nb::hasattr(object.type(), "__getitem__")) {
        throw nb::python_error(std::move(raised));
      }
      throw nb::type_error(("texts must be a list, an array or a column, not " + name_of_type(object)).c_str());
    }
    items_ = nb::steal<nb::tuple>(made);
    texts_.reserve(items_.size());
    for (const nb::handle item : items_) texts_.push_back(text_of(item));
    input.texts = texts_.data();
    input.size = texts_.size();
    if (texts_.empty()) input.texts = &single_;
  }
  /// Makes an input of one text. Precondition: `text` outlives this object.
  struct one_text {
    nb::handle text;
  };
  explicit text_input(const one_text& one) : single_(text_of(one.text)) {
    input.texts = &single_;
    input.size = 1;
  }
  text_input(const text_input&) = delete;
  text_input& operator=(const text_input&) = delete;

  neardup_input input{};

  /// Returns the number of bytes of the texts, or npos if they are in an array or a stream of Arrow.
  [[nodiscard]] std::size_t bytes() const {
    if (input.texts == nullptr) return std::string::npos;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < input.size; ++i) sum += input.texts[i].size;
    return sum;
  }
  [[nodiscard]] bool is_small() const { return ::is_small(input.size, bytes()); }

 private:
  neardup_text text_of(nb::handle item) {
    if (PyUnicode_Check(item.ptr())) {
      Py_ssize_t size = 0;
      const char* const data = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
      if (data != nullptr) return {data, static_cast<std::size_t>(size)};
      if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) throw nb::python_error();
      PyErr_Clear();
      // Each lone surrogate becomes one U+FFFD.
      return bytes_of(item.attr("encode")("utf-16-le", "surrogatepass")
                          .attr("decode")("utf-16-le", "replace")
                          .attr("encode")("utf-8"));
    }
    if (PyBytes_Check(item.ptr())) {
      return {PyBytes_AS_STRING(item.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(item.ptr()))};
    }
    if (item.is_none() ||
        (PyFloat_Check(item.ptr()) && PyFloat_AS_DOUBLE(item.ptr()) != PyFloat_AS_DOUBLE(item.ptr()))) {
      return {nullptr, 0};
    }
    const std::string name = name_of_type(item);
    if (name == "NAType" || name == "NaTType") return {nullptr, 0};
    throw nb::type_error(
        ("text " + std::to_string(texts_.size()) + " must be str, bytes or None, not " + name).c_str());
  }

  neardup_text bytes_of(nb::object bytes) {
    kept_.push_back(std::move(bytes));
    const nb::object& last = kept_.back();
    return {PyBytes_AS_STRING(last.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(last.ptr()))};
  }

  arrow_object arrow_;
  nb::tuple items_;
  std::vector<nb::object> kept_;
  std::vector<neardup_text> texts_;
  neardup_text single_{};  // the only text, if this object was made of a one_text
};

// ---- Results --------------------------------------------------------------------------------------------------------

/// Returns a NumPy array that refers to `data`. `owner` keeps `data` alive.
template <class T>
nb::object view_of(const T* data, std::size_t size, nb::handle owner) {
  static const T nothing{};
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data == nullptr ? &nothing : data, {size}, owner),
                  nb::rv_policy::reference);
}

/// An Arrow array. `owner` keeps its memory alive.
struct exported {
  std::string format, name;
  std::int64_t length = 0, null_count = 0;
  std::vector<const void*> buffers;
  std::vector<exported> children;
  nb::object owner;
  std::shared_ptr<const std::vector<std::uint8_t>> bitmap;  // the first buffer, if it is made for this array
};

void drop_reference(nb::object& owner) {
  if (!owner.is_valid()) return;
  if (Py_IsInitialized() == 0) {
    static_cast<void>(owner.release());
    return;
  }
  const nb::gil_scoped_acquire acquire;
  owner.reset();
}

struct schema_content {
  std::string format, name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};
struct array_content {
  exported of;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

ArrowSchema make_schema(const exported& of) {
  auto content = std::make_unique<schema_content>();
  content->format = of.format;
  content->name = of.name;
  for (const exported& child : of.children) content->children.push_back(make_schema(child));
  for (ArrowSchema& child : content->children) content->pointers.push_back(&child);
  ArrowSchema schema{};
  schema.format = content->format.c_str();
  schema.name = content->name.c_str();
  schema.flags = ARROW_FLAG_NULLABLE;
  schema.n_children = static_cast<std::int64_t>(content->children.size());
  schema.children = content->pointers.data();
  schema.release = [](ArrowSchema* self) {
    auto* const own = static_cast<schema_content*>(self->private_data);
    for (ArrowSchema& child : own->children) {
      if (child.release != nullptr) child.release(&child);
    }
    delete own;
    self->release = nullptr;
  };
  schema.private_data = content.release();
  return schema;
}

ArrowArray make_array(exported of) {
  auto content = std::make_unique<array_content>();
  std::vector<exported> children = std::move(of.children);
  content->of = std::move(of);
  for (exported& child : children) content->children.push_back(make_array(std::move(child)));
  for (ArrowArray& child : content->children) content->pointers.push_back(&child);
  ArrowArray array{};
  array.length = content->of.length;
  array.null_count = content->of.null_count;
  array.n_buffers = static_cast<std::int64_t>(content->of.buffers.size());
  array.buffers = content->of.buffers.data();
  array.n_children = static_cast<std::int64_t>(content->children.size());
  array.children = content->pointers.data();
  array.release = [](ArrowArray* self) {
    auto* const own = static_cast<array_content*>(self->private_data);
    for (ArrowArray& child : own->children) {
      if (child.release != nullptr) child.release(&child);
    }
    drop_reference(own->of.owner);
    delete own;
    self->release = nullptr;
  };
  array.private_data = content.release();
  return array;
}

/// Makes a capsule with `content`. The end of the capsule releases `content`, unless a consumer has moved it out.
template <class Structure>
nb::object capsule_of(Structure content, const char* name) {
  auto* const structure = new Structure(content);
  return nb::steal(PyCapsule_New(structure, name, [](PyObject* capsule) {
    auto* const own = static_cast<Structure*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
    if (own->release != nullptr) own->release(own);
    delete own;
  }));
}

nb::object array_capsules(const exported& of) {
  nb::object schema = capsule_of(make_schema(of), "arrow_schema");
  return nb::make_tuple(std::move(schema), capsule_of(make_array(of), "arrow_array"));
}

nb::object stream_capsule(const exported& of) {
  struct content {
    exported of;
    bool is_over = false;
  };
  ArrowArrayStream stream{};
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    *out = make_schema(static_cast<content*>(self->private_data)->of);
    return 0;
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    auto* const own = static_cast<content*>(self->private_data);
    *out = ArrowArray{};
    if (own->is_over) return 0;
    own->is_over = true;
    const nb::gil_scoped_acquire acquire;  // copies references
    *out = make_array(own->of);
    return 0;
  };
  stream.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  stream.release = [](ArrowArrayStream* self) {
    const nb::gil_scoped_acquire acquire;
    delete static_cast<content*>(self->private_data);
    self->release = nullptr;
  };
  stream.private_data = new content{of};
  return capsule_of(stream, "arrow_array_stream");
}

template <class T>
exported column(const char* name, const char* format, const T* data, std::size_t size, nb::handle owner) {
  exported result;
  result.format = format;
  result.name = name;
  result.length = static_cast<std::int64_t>(size);
  result.buffers = {nullptr, data};
  result.owner = nb::borrow(owner);
  return result;
}

exported table(std::vector<exported> columns) {
  exported result;
  result.format = "+s";
  result.length = columns.front().length;
  result.buffers = {nullptr};
  result.children = std::move(columns);
  return result;
}

/// Returns a bitmap of `size` bits. Bit i is set if valid[i] is not 0.
std::shared_ptr<const std::vector<std::uint8_t>> bitmap_of(const std::uint8_t* valid, std::size_t size) {
  auto bits = std::make_shared<std::vector<std::uint8_t>>((size + 7) / 8);
  for (std::size_t i = 0; i < size; ++i)
    (*bits)[i / 8] |= static_cast<std::uint8_t>((valid[i] != 0 ? 1 : 0) << (i % 8));
  return bits;
}

// ---- Objects ---------------------------------------------------------------------------------------------------------

template <class Handle, void (*Free)(Handle*)>
struct freeing {
  void operator()(Handle* handle) const { Free(handle); }
};
template <class Handle, void (*Free)(Handle*)>
using owned = std::unique_ptr<Handle, freeing<Handle, Free>>;

/// Holds the result of a call until take(). Without take(), the destructor frees the result: an interrupted call may
/// have a result already, which nothing takes.
template <class Handle, void (*Free)(Handle*)>
struct slot {
  Handle* value = nullptr;

  slot() = default;
  slot(const slot&) = delete;
  slot& operator=(const slot&) = delete;
  ~slot() { Free(value); }
  owned<Handle, Free> take() { return owned<Handle, Free>(std::exchange(value, nullptr)); }
};

/// Returns a path for the C interface: null for an empty text.
const char* path_or_null(const std::string& path) { return path.empty() ? nullptr : path.c_str(); }

struct dictionary {
  owned<neardup_dictionary, neardup_dictionary_free> handle;

  dictionary(const std::string& words, const std::string& user_words, const std::string& model, bool no_model,
             const std::string& stop_words) {
    const neardup_dictionary_files files{words.c_str(), path_or_null(user_words), path_or_null(model), no_model ? 1 : 0,
                                         path_or_null(stop_words)};
    neardup_dictionary* made = nullptr;
    call_now(0, [&](const neardup_run*, neardup_error* error) { neardup_dictionary_load(&files, &made, error); });
    handle.reset(made);
  }
};

/// A composition of the C interface, from the Python tuple (features, seed, same, dictionary). This object owns the
/// strings and the dictionary to which the C struct points.
class composition {
 public:
  explicit composition(const nb::tuple& given)
      : features_(nb::cast<std::string>(given[0])), seed_(nb::cast<std::uint64_t>(given[1])), dictionary_(given[3]) {
    for (const nb::handle one : nb::cast<nb::tuple>(given[2])) same_.push_back(nb::cast<std::string>(one));
    for (const std::string& same : same_) pointers_.push_back(same.c_str());
    pointers_.push_back(nullptr);
    value_ = {features_.c_str(), seed_, same_.empty() ? nullptr : pointers_.data(),
              dictionary_.is_none() ? nullptr : nb::cast<const dictionary&>(dictionary_).handle.get()};
  }
  composition(const composition&) = delete;
  composition& operator=(const composition&) = delete;

  [[nodiscard]] const neardup_composition* get() const { return &value_; }

 private:
  std::string features_;
  std::uint64_t seed_;
  nb::object dictionary_;
  std::vector<std::string> same_;
  std::vector<const char*> pointers_;
  neardup_composition value_{};
};

struct idf {
  owned<neardup_idf, neardup_idf_free> handle;
};

neardup_join join_of(double similarity, int measure, std::size_t min_common, bool copies_once) {
  if (similarity == 0) throw nb::value_error("the similarity must be above 0");  // 0 would stand for the default
  return {similarity, static_cast<neardup_measure>(measure), min_common, copies_once ? 1 : 0};
}

struct sets {
  static constexpr const char* columns = "first second common similarity";
  owned<neardup_sets, neardup_sets_free> handle;

  explicit sets(int width) {
    neardup_sets* made = nullptr;
    neardup_error error{};
    neardup_sets_new(width, &made, &error);
    check(error);
    handle.reset(made);
  }
  [[nodiscard]] std::size_t size() const { return neardup_sets_size(handle.get()); }
  [[nodiscard]] bool is_small() const {
    const std::size_t n = size();
    return n < 64 && ::is_small(n, 4 * static_cast<std::size_t>(neardup_sets_offsets(handle.get())[n]));
  }
};

/// Normalised texts, for joins by the edit distance.
struct edited_texts {
  static constexpr const char* columns = "first second distance similarity";
  owned<neardup_texts, neardup_texts_free> handle;

  edited_texts() {
    neardup_texts* made = nullptr;
    neardup_error error{};
    neardup_texts_new(&made, &error);
    check(error);
    handle.reset(made);
  }
  [[nodiscard]] std::size_t size() const { return neardup_texts_size(handle.get()); }
  [[nodiscard]] bool is_small() const { return ::is_small(size(), bytes); }

  std::size_t bytes = 0;  // bytes of the given texts; for Arrow an upper bound
};

/// Pairs, in columns of equal length. Arrays of Arrow and NumPy refer to this memory. `columns`: the columns' names.
struct pairs {
  owned<neardup_pairs, neardup_pairs_free> handle;
  const char* columns;

  pairs(owned<neardup_pairs, neardup_pairs_free> made, const char* names) : handle(std::move(made)), columns(names) {}

  [[nodiscard]] std::size_t size() const { return neardup_pairs_size(handle.get()); }
};

/// Calls `use(name)` for each name in `names`, in which blanks separate the names.
template <class Use>
void for_each_name(const char* names, const Use& use) {
  std::istringstream line(names);
  for (std::string name; line >> name;) use(name);
}

exported table_of(nb::handle self) {
  const pairs& own = nb::cast<const pairs&>(self);
  const neardup_pairs* const of = own.handle.get();
  std::vector<exported> columns;
  for_each_name(own.columns, [&](const std::string& name) {
    const std::size_t n = own.size();
    columns.push_back(name == "first"        ? column("first", "I", neardup_pairs_first(of), n, self)
                      : name == "second"     ? column("second", "I", neardup_pairs_second(of), n, self)
                      : name == "common"     ? column("common", "I", neardup_pairs_common(of), n, self)
                      : name == "similarity" ? column("similarity", "g", neardup_pairs_similarity(of), n, self)
                                             : column("distance", "I", neardup_pairs_distance(of), n, self));
  });
  return table(std::move(columns));
}

/// Codes that were made of texts, or that a caller has passed.
struct codes {
  static constexpr const char* columns = "first second distance";
  int bits = 64;
  std::vector<std::uint64_t> words;
  std::vector<std::uint8_t> valid;

  [[nodiscard]] std::size_t stride() const { return static_cast<std::size_t>(std::max(64, bits)) / 64; }
  [[nodiscard]] std::size_t size() const { return valid.size(); }
  [[nodiscard]] bool is_small() const { return ::is_small(size(), 0); }
  [[nodiscard]] neardup_code_view view() const { return {words.data(), valid.data(), size(), bits}; }
  [[nodiscard]] std::int64_t nulls() const { return std::count(valid.begin(), valid.end(), std::uint8_t{0}); }

  void add_bytes(const std::uint8_t* bytes, bool is_valid) {
    std::uint64_t word = 0;
    const std::size_t width = static_cast<std::size_t>(bits) / 8;
    for (std::size_t i = 0; i < width; ++i) {
      if (is_valid) word |= std::uint64_t{bytes[i]} << (8 * (i % 8));
      if (i % 8 == 7 || i + 1 == width) words.push_back(std::exchange(word, 0));
    }
    valid.push_back(is_valid ? 1 : 0);
  }

  void add(const ArrowSchema& schema, const ArrowArray& array) {
    const std::string format(schema.format);
    if (schema.dictionary != nullptr) throw nb::type_error("codes must be a column of values, not of a dictionary");
    const int width = format == "I" || format == "w:4"   ? 32
                      : format == "L" || format == "w:8" ? 64
                      : format == "w:16"                 ? 128
                      : format == "w:32"                 ? 256
                                                         : 0;
    if (format.rfind("w:", 0) == 0 && width == 0) throw nb::value_error("codes must have 32, 64, 128 or 256 bits");
    if (width == 0) {
      throw nb::type_error(
          ("codes are of Arrow's type uint64, uint32 or fixed_size_binary, not of " + c_interface::type_name(schema))
              .c_str());
    }
    if (size() > 0 && width != bits) throw nb::value_error("all codes must have the same width");
    bits = width;
    if (array.n_buffers < 2 || array.length < 0 || array.offset < 0 ||
        (array.length > 0 && array.buffers[1] == nullptr))
      throw nb::value_error("the Arrow array does not have the type of its schema");
    const auto* const nulls = static_cast<const std::uint8_t*>(array.buffers[0]);
    const auto* const data = static_cast<const std::uint8_t*>(array.buffers[1]);
    for (std::int64_t i = array.offset; i < array.offset + array.length; ++i) {
      add_bytes(data + i * (bits / 8), nulls == nullptr || (nulls[i / 8] >> (i % 8) & 1) != 0);
    }
  }
};

std::unique_ptr<codes> codes_of_arrow(nb::handle object) {
  arrow_object arrow;
  if (!arrow.open(object))
    throw nb::type_error(("codes must be an array or a column, not " + name_of_type(object)).c_str());
  auto result = std::make_unique<codes>();
  if (arrow.array != nullptr) {
    result->add(*arrow.schema, *arrow.array);
    return result;
  }
  ArrowArrayStream& stream = *arrow.stream;
  const auto fill = [&](auto get, auto& structure) {
    int code = 0;
    {
      const nb::gil_scoped_release release;
      code = get(&stream, &structure);
    }
    if (code == 0) return;
    const char* const why = stream.get_last_error(&stream);
    PyErr_SetString(PyExc_OSError, why != nullptr ? why : "the Arrow stream failed");
    throw nb::python_error();
  };
  ArrowSchema schema{};
  fill(stream.get_schema, schema);
  const std::unique_ptr<ArrowSchema, void (*)(ArrowSchema*)> releasing(&schema, [](ArrowSchema* s) {
    if (s->release != nullptr) s->release(s);
  });
  while (true) {
    ArrowArray array{};
    fill(stream.get_next, array);
    if (array.release == nullptr) return result;
    const std::unique_ptr<ArrowArray, void (*)(ArrowArray*)> own(&array, [](ArrowArray* a) { a->release(a); });
    result->add(schema, array);
  }
}

struct matches {
  owned<neardup_matches, neardup_matches_free> handle;
  bool is_of_sets;

  matches(owned<neardup_matches, neardup_matches_free> made, bool of_sets)
      : handle(std::move(made)), is_of_sets(of_sets) {}

  [[nodiscard]] std::size_t size() const { return neardup_matches_size(handle.get()); }
};

/// Converts `numbers` to a column of strings. `offsets` and `data` are the buffers of Arrow's large_string. If they are
/// None, `numbers` is not changed.
void name_column(exported& numbers, const nb::object& offsets, const nb::object& data) {
  if (offsets.is_none()) return;
  const auto array = nb::cast<nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(offsets);
  numbers.format = "U";
  numbers.buffers[1] = array.data();
  numbers.buffers.push_back(PyBytes_AS_STRING(data.ptr()));
  numbers.owner = nb::make_tuple(numbers.owner, offsets, data);
}

exported table_of_matches(nb::handle self, const nb::object& offsets, const nb::object& data) {
  const matches& own = nb::cast<const matches&>(self);
  const neardup_matches* const of = own.handle.get();
  const std::size_t n = own.size();
  std::vector<exported> columns{column("query", "I", neardup_matches_query(of), n, self),
                                column("id", "L", neardup_matches_id(of), n, self)};
  name_column(columns.back(), offsets, data);
  if (own.is_of_sets) {
    columns.push_back(column("common", "I", neardup_matches_common(of), n, self));
    columns.push_back(column("similarity", "g", neardup_matches_similarity(of), n, self));
  } else {
    columns.push_back(column("distance", "I", neardup_matches_distance(of), n, self));
  }
  return table(std::move(columns));
}

using id_array = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using position_array = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The columns of pairs in Python: a dictionary of arrays of equal length, whose keys are the names in
/// neardup_pair_view.
class position_columns {
 public:
  explicit position_columns(const nb::dict& columns) {
    take(columns, "first", first_);
    take(columns, "second", second_);
    take(columns, "common", common_);
    take(columns, "distance", distance_);
    take(columns, "similarity", similarity_);
  }

  [[nodiscard]] neardup_pair_view view() const {
    return {first_.data(), second_.data(), common_.data(), similarity_.data(), distance_.data(), size_};
  }

 private:
  template <class Array>
  void take(const nb::dict& columns, const char* name, Array& to) {
    if (!columns.contains(name)) return;
    to = nb::cast<Array>(columns[name]);
    if (std::string_view(name) == "first") size_ = to.shape(0);
    if (to.shape(0) != size_) throw nb::value_error("the columns of pairs must have the same length");
  }

  position_array first_, second_, common_, distance_;
  nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> similarity_;
  std::size_t size_ = 0;
};

/// An index of codes. Several readers may share it, but a writer has it alone.
struct code_index {
  owned<neardup_index, neardup_index_free> handle;
  mutable std::shared_mutex mutex;

  explicit code_index(neardup_index* made) : handle(made) {}

  /// Calls `apply` to insert or erase some codes at a time. Between these steps, Ctrl-C can end the call.
  template <class Change>
  std::size_t change(const codes& of, const id_array& ids, const Change& apply) {
    if (ids.shape(0) != of.size()) throw nb::value_error("there must be as many ids as codes");
    constexpr std::size_t step = std::size_t{1} << 14;
    std::size_t changed = 0, begin = 0;
    do {
      neardup_code_view view = of.view();
      view.words += begin * of.stride();
      view.valid += begin;
      view.size = std::min(step, of.size() - begin);
      std::size_t some = 0;
      call_now(0, [&](const neardup_run*, neardup_error* error) {
        const std::unique_lock lock(mutex);
        apply(handle.get(), &view, ids.data() + begin, &some, error);
      });
      changed += some;
      begin += view.size;
      if (begin < of.size() && PyErr_CheckSignals() != 0) throw nb::python_error();
    } while (begin < of.size());
    return changed;
  }
};

/// An index of feature sets. Several readers may share it, but a writer has it alone.
struct feature_index {
  owned<neardup_set_index, neardup_set_index_free> handle;
  mutable std::shared_mutex mutex;

  feature_index(int width, const neardup_join& join) {
    neardup_set_index* made = nullptr;
    neardup_error error{};
    neardup_set_index_new(width, &join, &made, &error);
    check(error);
    handle.reset(made);
  }

  /// Waits until no other thread writes, then calls `use(handle)`. Other threads may read at the same time.
  template <class Use>
  auto read(const Use& use) const {
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex);
    return use(handle.get());
  }
};

/// Verdicts about documents, in columns.
struct verdicts {
  std::vector<std::uint8_t> is_new;
  std::vector<std::uint64_t> original;
  std::vector<double> similarity;

  neardup_verdicts add(std::size_t count) {
    const std::size_t before = is_new.size();
    is_new.resize(before + count);
    original.resize(before + count);
    similarity.resize(before + count);
    return {is_new.data() + before, original.data() + before, similarity.data() + before};
  }
};

exported table_of_verdicts(nb::handle self, const nb::object& offsets, const nb::object& data) {
  const verdicts& of = nb::cast<const verdicts&>(self);
  const std::size_t n = of.is_new.size();
  std::vector<std::uint8_t> has_original(n);
  for (std::size_t i = 0; i < n; ++i) has_original[i] = of.is_new[i] == 0 ? 1 : 0;
  exported is_new = column("is_new", "b", static_cast<const std::uint8_t*>(nullptr), n, self);
  exported original = column("original", "L", of.original.data(), n, self);
  exported similarity = column("similarity", "g", of.similarity.data(), n, self);
  is_new.bitmap = bitmap_of(of.is_new.data(), n);
  is_new.buffers = {nullptr, is_new.bitmap->data()};
  original.bitmap = similarity.bitmap = bitmap_of(has_original.data(), n);
  original.buffers[0] = similarity.buffers[0] = original.bitmap->data();
  original.null_count = similarity.null_count = std::count(has_original.begin(), has_original.end(), std::uint8_t{0});
  name_column(original, offsets, data);
  return table({std::move(is_new), std::move(original), std::move(similarity)});
}

struct dedup {
  owned<neardup_dedup, neardup_dedup_free> handle;
  mutable std::shared_mutex mutex;

  explicit dedup(neardup_dedup* made) : handle(made) {}

  /// Waits until no other thread writes, then calls `use(handle)`. Other threads may read at the same time.
  /// Throws: ValueError if this object is closed.
  template <class Use>
  auto read(const Use& use) const {
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex);
    if (handle == nullptr) throw nb::value_error(closed);
    return use(handle.get());
  }
  /// Calls `use(handle)`. If this object is closed, sets `error` instead. Precondition: the caller has locked `mutex`.
  template <class Use>
  void use(neardup_error* error, const Use& use) const {
    if (handle != nullptr) return use(handle.get());
    error->status = NEARDUP_INVALID;
    std::strcpy(error->message, closed);
  }

  static constexpr const char* closed = "the deduplicator is closed";
};

std::size_t length_of(const ArrowArray& array) {
  return static_cast<std::size_t>(std::max<std::int64_t>(array.length, 0));
}

/// Decides about all `texts`. `decide(input, first, count, verdicts, run, error)` decides about the `count` documents
/// of `input`, the first of which is number `first` of `texts`.
template <class Decide>
std::unique_ptr<verdicts> decide_all(nb::handle texts, const running& how, const Decide& decide) {
  const text_input in(texts);
  auto result = std::make_unique<verdicts>();
  const auto work = [&](const neardup_run* run, neardup_error* error) {
    ArrowArrayStream* const stream = in.input.stream;
    if (stream == nullptr) {
      const std::size_t count = in.input.array != nullptr ? length_of(*in.input.array) : in.input.size;
      return decide(in.input, 0, count, result->add(count), run, error);
    }
    const auto failed = [&](int code) {
      if (code == 0) return false;
      const char* const why = stream->get_last_error(stream);
      error->status = NEARDUP_FAILED;
      std::strncpy(error->message, why != nullptr ? why : "the Arrow stream failed", sizeof(error->message) - 1);
      return true;
    };
    ArrowSchema schema{};
    if (failed(stream->get_schema(stream, &schema))) return;
    while (error->status == NEARDUP_OK) {
      ArrowArray array{};
      if (failed(stream->get_next(stream, &array)) || array.release == nullptr) break;
      neardup_input one{};
      one.schema = &schema;
      one.array = &array;
      const std::size_t first = result->is_new.size(), count = length_of(array);
      decide(one, first, count, result->add(count), run, error);
      array.release(&array);
    }
    schema.release(&schema);
  };
  call_either(how, in.is_small(), work);
  return result;
}

/// Decides about one document with `decide(input, verdicts, run, error)`. `of_new`: the verdict about a new document, a
/// tuple.
/// Returns: `of_new` itself, or the tuple (False, original, similarity) of the same type.
template <class Decide>
nb::object decide_one(nb::handle of_new, nb::handle text, const Decide& decide) {
  const text_input in(text_input::one_text{text});
  std::uint8_t is_new = 0;
  std::uint64_t original = 0;
  double similarity = 0;
  call_either(1, in.is_small(), [&](const neardup_run* run, neardup_error* error) {
    decide(in.input, {&is_new, &original, &similarity}, run, error);
  });
  if (is_new != 0) return nb::borrow(of_new);
  return of_new.type()(false, original, similarity);
}

/// Defines the functions pairs, verify and group of a corpus of feature sets, or of texts for the edit distance.
template <class Corpus, auto Pairs, auto Verify, auto Group, auto Extend>
void define_joins(nb::module_& m) {
  m.def(
      "pairs",
      [](const Corpus& of, const Corpus* others, double similarity, int measure, std::size_t min_common,
         bool copies_once, const nb::tuple& how) {
        const neardup_join join = join_of(similarity, measure, min_common, copies_once);
        slot<neardup_pairs, neardup_pairs_free> made;
        const bool is_small = of.is_small() && (others == nullptr || others->is_small());
        call_either(how, is_small, [&](const neardup_run* run, neardup_error* error) {
          Pairs(of.handle.get(), others == nullptr ? nullptr : others->handle.get(), &join, run, &made.value, error);
        });
        return std::make_unique<pairs>(made.take(), Corpus::columns);
      },
      "of"_a, "others"_a.none(), "similarity"_a, "measure"_a, "min_common"_a, "copies_once"_a, "how"_a);

  m.def(
      "verify",
      [](const Corpus& of, const Corpus* others, position_array first, position_array second, double similarity,
         int measure, std::size_t min_common, const nb::tuple& how) {
        if (first.shape(0) != second.shape(0))
          throw nb::value_error("the two arrays of positions must have the same length");
        const neardup_join join = join_of(similarity, measure, min_common, false);
        slot<neardup_pairs, neardup_pairs_free> made;
        const bool is_small = first.shape(0) < 64 && of.is_small() && (others == nullptr || others->is_small());
        call_either(how, is_small, [&](const neardup_run* run, neardup_error* error) {
          Verify(of.handle.get(), others == nullptr ? nullptr : others->handle.get(), first.data(), second.data(),
                 first.shape(0), &join, run, &made.value, error);
        });
        return std::make_unique<pairs>(made.take(), Corpus::columns);
      },
      "of"_a, "others"_a.none(), "first"_a, "second"_a, "similarity"_a, "measure"_a, "min_common"_a, "how"_a);

  m.def(
      "group",
      [](const Corpus* kept, const Corpus& of, double similarity, int measure, std::size_t min_common,
         const nb::object& prefer, bool components, bool keep_only, const nb::tuple& how) {
        using scores = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
        neardup_grouping grouping{join_of(similarity, measure, min_common, false), nullptr, components ? 1 : 0,
                                  keep_only ? 1 : 0};
        const std::size_t n = of.size();
        scores given;
        if (!prefer.is_none()) {
          given = nb::cast<scores>(prefer);
          if (given.shape(0) != n) throw nb::value_error("there must be as many scores as texts");
          if (n > 0) grouping.preference = given.data();
        }
        auto* const labels = new std::vector<std::uint32_t>(n);
        const nb::capsule owner(labels,
                                [](void* all) noexcept { delete static_cast<std::vector<std::uint32_t>*>(all); });
        const bool is_small = of.is_small() && (kept == nullptr || kept->is_small());
        call_either(how, is_small, [&](const neardup_run* run, neardup_error* error) {
          if (kept == nullptr) {
            Group(of.handle.get(), &grouping, run, labels->data(), error);
          } else {
            Extend(kept->handle.get(), of.handle.get(), &grouping, run, labels->data(), error);
          }
        });
        return nb::cast(nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>(labels->data(), {n}, owner));
      },
      "kept"_a.none(), "of"_a, "similarity"_a, "measure"_a, "min_common"_a, "prefer"_a.none(), "components"_a,
      "keep_only"_a, "how"_a);
}

// ---- Joins as a shuffle ----------------------------------------------------------------------------------------------

/// The memory of an object with the buffer protocol, such as bytes or a buffer of Arrow.
class buffer_view {
 public:
  explicit buffer_view(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  buffer_view(const buffer_view&) = delete;
  buffer_view& operator=(const buffer_view&) = delete;
  ~buffer_view() { PyBuffer_Release(&view_); }

  [[nodiscard]] neardup_blob get() const { return {view_.buf, static_cast<std::size_t>(view_.len)}; }

 private:
  Py_buffer view_{};
};

nb::bytes taken(slot<neardup_bytes, neardup_bytes_free>& made) {
  return nb::bytes(static_cast<const char*>(neardup_bytes_data(made.value)), neardup_bytes_size(made.value));
}

struct feature_counts {
  owned<neardup_counts, neardup_counts_free> handle;
  std::mutex mutex;
  std::unique_ptr<buffer_view> mapped;

  ~feature_counts() { handle.reset(); }  // the handle refers to the memory, so it is destroyed first
};

struct set_scatter {
  owned<neardup_scatter, neardup_scatter_free> handle;
  nb::object counts;
  std::uint32_t partitions = 1;
  std::mutex mutex;
};

/// Settings of a shuffle: (similarity, measure, min_common, partitions, payload, all_counted, identity, copies_once).
neardup_shuffle shuffle_of(const nb::tuple& given) {
  neardup_shuffle result{};
  result.join = join_of(nb::cast<double>(given[0]), nb::cast<int>(given[1]), nb::cast<std::size_t>(given[2]),
                        nb::cast<bool>(given[7]));
  result.partitions = nb::cast<std::uint32_t>(given[3]);
  result.payload = static_cast<neardup_payload>(nb::cast<int>(given[4]));
  result.all_counted = nb::cast<bool>(given[5]) ? 1 : 0;
  result.identity = nb::cast<std::uint64_t>(given[6]);
  return result;
}

struct document_pairs {
  owned<neardup_document_pairs, neardup_document_pairs_free> handle;
  bool are_candidates = false;

  [[nodiscard]] std::size_t size() const { return neardup_document_pairs_size(handle.get()); }
};

exported table_of_document_pairs(nb::handle self) {
  const document_pairs& own = nb::cast<const document_pairs&>(self);
  const neardup_document_pairs* const of = own.handle.get();
  const std::size_t n = own.size();
  std::vector<exported> columns{column("first", "L", neardup_document_pairs_first(of), n, self),
                                column("second", "L", neardup_document_pairs_second(of), n, self)};
  if (!own.are_candidates) {
    columns.push_back(column("common", "I", neardup_document_pairs_common(of), n, self));
    columns.push_back(column("similarity", "g", neardup_document_pairs_similarity(of), n, self));
  }
  return table(std::move(columns));
}

struct passages {
  owned<neardup_passages, neardup_passages_free> handle;
  std::vector<std::size_t> columns{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};  // columns that have values

  [[nodiscard]] std::size_t size() const { return neardup_passages_size(handle.get()); }
  [[nodiscard]] const std::uint32_t* column_of(std::size_t i) const {
    return neardup_passages_column(handle.get(), static_cast<neardup_passage_column>(i));
  }

  /// These names have the order of neardup_passage_column.
  static constexpr std::array names{"text",       "begin",       "end",       "begin_byte",       "end_byte",
                                    "first_text", "first_begin", "first_end", "first_begin_byte", "first_end_byte"};
};

exported table_of_passages(nb::handle self) {
  const passages& own = nb::cast<const passages&>(self);
  std::vector<exported> columns;
  for (const std::size_t i : own.columns) {
    columns.push_back(column(passages::names[i], "I", own.column_of(i), own.size(), self));
  }
  return table(std::move(columns));
}

struct cut_texts {
  owned<neardup_cut_texts, neardup_cut_texts_free> handle;

  [[nodiscard]] std::size_t size() const { return neardup_cut_texts_size(handle.get()); }
};

exported column_of_cut_texts(nb::handle self) {
  const neardup_cut_texts* const of = nb::cast<const cut_texts&>(self).handle.get();
  const std::size_t n = neardup_cut_texts_size(of);
  const std::uint8_t* const valid = neardup_cut_texts_valid(of);
  exported texts = column("text", "U", neardup_cut_texts_offsets(of), n, self);
  const char* const data = neardup_cut_texts_data(of);
  texts.buffers.push_back(data == nullptr ? "" : data);
  texts.null_count = std::count(valid, valid + n, std::uint8_t{0});
  texts.bitmap = bitmap_of(valid, n);
  texts.buffers[0] = texts.bitmap->data();
  return texts;
}

neardup_passage_options passage_options_of(const nb::tuple& given) {
  return {nb::cast<std::size_t>(given[0]), nb::cast<bool>(given[1]) ? 1 : 0, nb::cast<std::size_t>(given[2]),
          nb::cast<std::size_t>(given[3])};
}

std::unique_ptr<passages> passages_of(slot<neardup_passages, neardup_passages_free>& made) {
  auto result = std::make_unique<passages>();
  result->handle = made.take();
  return result;
}

neardup_passage_shuffle passage_shuffle_of(const nb::tuple& given) {
  return {passage_options_of(given), nb::cast<std::uint32_t>(given[4])};
}

/// Returns a list of (partition, blob), without empty blobs.
nb::list taken(const slot<neardup_blobs, neardup_blobs_free>& made, std::uint32_t partitions) {
  nb::list result;
  for (std::uint32_t i = 0; i < partitions; ++i) {
    const std::size_t size = neardup_blobs_size(made.value, i);
    if (size == 0) continue;
    result.append(nb::make_tuple(i, nb::bytes(static_cast<const char*>(neardup_blobs_data(made.value, i)), size)));
  }
  return result;
}

/// The blobs of a Python list as an array for a call of the C interface.
class blob_list {
 public:
  explicit blob_list(const nb::list& blobs) {
    for (const nb::handle blob : blobs) {
      views_.push_back(std::make_unique<buffer_view>(blob));
      blobs_.push_back(views_.back()->get());
    }
  }
  [[nodiscard]] const neardup_blob* data() const { return blobs_.data(); }
  [[nodiscard]] std::size_t size() const { return blobs_.size(); }

 private:
  std::vector<std::unique_ptr<buffer_view>> views_;
  std::vector<neardup_blob> blobs_;
};

using place_array = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Places of passages: the columns text, begin, end and, in a join, first_text and first_begin.
class place_columns {
 public:
  explicit place_columns(const nb::list& columns) {
    for (const nb::handle column : columns) columns_.push_back(nb::cast<place_array>(column));
  }
  [[nodiscard]] neardup_passage_view view() const {
    const auto data = [&](std::size_t i) { return i < columns_.size() ? columns_[i].data() : nullptr; };
    return {data(0), data(1), data(2), data(3), data(4), columns_.front().shape(0)};
  }

 private:
  std::vector<place_array> columns_;
};

void define_passage_shuffle(nb::module_& m) {
  m.def(
      "passage_scatter_anchors",
      [](nb::handle texts, const nb::tuple& settings, const nb::tuple& how) {
        const text_input in(texts);
        const neardup_passage_shuffle shuffle = passage_shuffle_of(settings);
        slot<neardup_blobs, neardup_blobs_free> made;
        call_either(how, in.is_small(), [&](const neardup_run* run, neardup_error* error) {
          neardup_passage_scatter_anchors(&in.input, &shuffle, run, &made.value, error);
        });
        return taken(made, shuffle.partitions);
      },
      "texts"_a.none(), "settings"_a, "how"_a);
  m.def("passage_repeated_anchors", [](const nb::list& blobs, std::uint32_t partition, const nb::tuple& settings) {
    const blob_list given(blobs);
    const neardup_passage_shuffle shuffle = passage_shuffle_of(settings);
    slot<neardup_bytes, neardup_bytes_free> made;
    call_now(1, [&](const neardup_run*, neardup_error* error) {
      neardup_passage_repeated_anchors(given.data(), given.size(), &shuffle, partition, &made.value, error);
    });
    return taken(made);
  });
  m.def(
      "passage_scatter",
      [](nb::handle texts, std::uint64_t first, nb::handle repeated, const nb::tuple& settings, const nb::tuple& how) {
        const text_input in(texts);
        const buffer_view anchors(repeated);
        const neardup_passage_shuffle shuffle = passage_shuffle_of(settings);
        slot<neardup_blobs, neardup_blobs_free> made;
        call_either(how, in.is_small(), [&](const neardup_run* run, neardup_error* error) {
          const neardup_blob of = anchors.get();
          neardup_passage_scatter(&in.input, first, of.data, of.size, &shuffle, run, &made.value, error);
        });
        return taken(made, shuffle.partitions);
      },
      "texts"_a.none(), "first"_a, "repeated"_a, "settings"_a, "how"_a);
  const auto in_units = [](slot<neardup_passages, neardup_passages_free>& made) {
    auto result = passages_of(made);
    result->columns = {0, 1, 2, 5, 6, 7};
    return result;
  };
  m.def("passage_gather", [in_units](const nb::list& blobs, std::uint32_t partition, const nb::tuple& settings) {
    const blob_list given(blobs);
    const neardup_passage_shuffle shuffle = passage_shuffle_of(settings);
    slot<neardup_passages, neardup_passages_free> made;
    call_now(1, [&](const neardup_run*, neardup_error* error) {
      neardup_passage_gather(given.data(), given.size(), &shuffle, partition, &made.value, error);
    });
    return in_units(made);
  });
  m.def("passage_join", [in_units](const nb::list& columns, const nb::tuple& settings) {
    const place_columns places(columns);
    const neardup_passage_view view = places.view();
    const neardup_passage_shuffle shuffle = passage_shuffle_of(settings);
    slot<neardup_passages, neardup_passages_free> made;
    call_now(1, [&](const neardup_run*, neardup_error* error) {
      neardup_passage_join(&view, &shuffle, &made.value, error);
    });
    return in_units(made);
  });
  m.def(
      "passage_locate",
      [](nb::handle texts, std::uint64_t first, const nb::list& columns, const nb::tuple& settings) {
        const text_input in(texts);
        const place_columns places(columns);
        const neardup_passage_view view = places.view();
        const neardup_passage_shuffle shuffle = passage_shuffle_of(settings);
        slot<neardup_passages, neardup_passages_free> made;
        call_now(1, [&](const neardup_run*, neardup_error* error) {
          neardup_passage_locate(&in.input, first, &view, &shuffle, &made.value, error);
        });
        auto result = passages_of(made);
        result->columns = {0, 1, 2, 3, 4};
        return result;
      },
      "texts"_a.none(), "first"_a, "places"_a, "settings"_a);
  m.def(
      "passage_cut",
      [](nb::handle texts, std::uint64_t first, const nb::list& columns, const nb::tuple& settings) {
        const text_input in(texts);
        const place_columns places(columns);
        const neardup_passage_view view = places.view();
        const neardup_passage_shuffle shuffle = passage_shuffle_of(settings);
        slot<neardup_cut_texts, neardup_cut_texts_free> made;
        call_now(1, [&](const neardup_run*, neardup_error* error) {
          neardup_passage_cut(&in.input, first, &view, &shuffle, &made.value, error);
        });
        return std::make_unique<cut_texts>(cut_texts{made.take()});
      },
      "texts"_a.none(), "first"_a, "places"_a, "settings"_a);
}

void define_passages(nb::module_& m) {
  nb::class_<passages>(m, "Passages")
      .def("__len__", &passages::size)
      .def("column",
           [](nb::handle self, const std::string& name) -> nb::object {
             const passages& own = nb::cast<const passages&>(self);
             const auto found = std::find(passages::names.begin(), passages::names.end(), name);
             return view_of(own.column_of(static_cast<std::size_t>(found - passages::names.begin())), own.size(), self);
           })
      .def("array", [](nb::handle self) { return array_capsules(table_of_passages(self)); })
      .def("stream", [](nb::handle self) { return stream_capsule(table_of_passages(self)); });
  nb::class_<cut_texts>(m, "CutTexts")
      .def("__len__", &cut_texts::size)
      .def("bytes",
           [](const cut_texts& self, std::size_t i) -> nb::object {
             const neardup_cut_texts* const of = self.handle.get();
             if (neardup_cut_texts_valid(of)[i] == 0) return nb::none();
             const std::int64_t* const offsets = neardup_cut_texts_offsets(of);
             if (offsets[i] == offsets[i + 1]) return nb::bytes("", 0);
             return nb::bytes(neardup_cut_texts_data(of) + offsets[i],
                              static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
           })
      .def("arrow", [](nb::handle self) { return array_capsules(column_of_cut_texts(self)); });
  m.def(
      "passages",
      [](nb::handle texts, const nb::tuple& options, const nb::tuple& how) {
        const text_input in(texts);
        const neardup_passage_options given = passage_options_of(options);
        slot<neardup_passages, neardup_passages_free> made;
        call_either(how, in.is_small(), [&](const neardup_run* run, neardup_error* error) {
          neardup_find_passages(&in.input, &given, run, &made.value, error);
        });
        return passages_of(made);
      },
      "texts"_a.none(), "options"_a, "how"_a);
  m.def(
      "cut_passages",
      [](nb::handle texts, const nb::tuple& options, const nb::tuple& how) {
        const text_input in(texts);
        const neardup_passage_options given = passage_options_of(options);
        slot<neardup_cut_texts, neardup_cut_texts_free> made;
        call_either(how, in.is_small(), [&](const neardup_run* run, neardup_error* error) {
          neardup_cut_passages(&in.input, &given, run, &made.value, error);
        });
        return std::make_unique<cut_texts>(cut_texts{made.take()});
      },
      "texts"_a.none(), "options"_a, "how"_a);
}

void define_shuffle(nb::module_& m) {
  nb::class_<feature_counts>(m, "FeatureCounts")
      .def_static("make",
                  [](int width, std::uint64_t features) {
                    auto result = std::make_unique<feature_counts>();
                    neardup_counts* made = nullptr;
                    call_now(1, [&](const neardup_run*, neardup_error* error) {
                      neardup_counts_new(width, features, &made, error);
                    });
                    result->handle.reset(made);
                    return result;
                  })
      .def_static("load",
                  [](int width, nb::handle bytes, bool is_mapped) {
                    auto result = std::make_unique<feature_counts>();
                    result->mapped = std::make_unique<buffer_view>(bytes);
                    const neardup_blob blob = result->mapped->get();
                    neardup_counts* made = nullptr;
                    call_now(1, [&](const neardup_run*, neardup_error* error) {
                      neardup_counts_load(width, blob.data, blob.size, is_mapped ? 1 : 0, &made, error);
                    });
                    result->handle.reset(made);
                    if (!is_mapped) result->mapped.reset();
                    return result;
                  })
      .def("add",
           [](feature_counts& self, const sets& of) {
             call_now(1, [&](const neardup_run*, neardup_error* error) {
               const std::lock_guard lock(self.mutex);
               neardup_counts_add(self.handle.get(), of.handle.get(), error);
             });
           })
      .def("merge",
           [](feature_counts& self, const feature_counts& other) {
             call_now(1, [&](const neardup_run*, neardup_error* error) {
               const std::lock_guard lock(self.mutex);
               neardup_counts_merge(self.handle.get(), other.handle.get(), error);
             });
           })
      .def("save",
           [](const feature_counts& self) {
             slot<neardup_bytes, neardup_bytes_free> made;
             call_now(1, [&](const neardup_run*, neardup_error* error) {
               neardup_counts_save(self.handle.get(), &made.value, error);
             });
             return taken(made);
           })
      .def_prop_ro("counted", [](const feature_counts& self) { return neardup_counts_counted(self.handle.get()); });

  nb::class_<set_scatter>(m, "SetScatter")
      .def_static("make",
                  [](const nb::tuple& settings, nb::handle counts) {
                    auto result = std::make_unique<set_scatter>();
                    const neardup_shuffle shuffle = shuffle_of(settings);
                    neardup_scatter* made = nullptr;
                    neardup_error error{};
                    neardup_scatter_new(&shuffle, nb::cast<const feature_counts&>(counts).handle.get(), &made, &error);
                    check(error);
                    result->handle.reset(made);
                    result->counts = nb::borrow(counts);
                    result->partitions = shuffle.partitions;
                    return result;
                  })
      .def("add",
           [](set_scatter& self, id_array documents, const sets& of) {
             if (documents.shape(0) != of.size()) throw nb::value_error("there must be as many documents as sets");
             call_now(1, [&](const neardup_run*, neardup_error* error) {
               const std::lock_guard lock(self.mutex);
               neardup_scatter_add(self.handle.get(), documents.data(), of.handle.get(), error);
             });
           })
      .def_prop_ro("size",
                   [](set_scatter& self) {
                     const std::lock_guard lock(self.mutex);
                     return neardup_scatter_size(self.handle.get());
                   })
      .def("take", [](set_scatter& self) {
        const std::lock_guard lock(self.mutex);
        nb::list result;
        for (std::uint32_t partition = 0; partition < self.partitions; ++partition) {
          slot<neardup_bytes, neardup_bytes_free> made;
          neardup_error error{};
          neardup_scatter_take(self.handle.get(), partition, &made.value, &error);
          check(error);
          if (neardup_bytes_size(made.value) > 0) result.append(nb::make_tuple(partition, taken(made)));
        }
        return result;
      });

  nb::class_<document_pairs>(m, "DocumentPairs")
      .def("__len__", &document_pairs::size)
      .def("column",
           [](nb::handle self, const std::string& name) -> nb::object {
             const document_pairs& own = nb::cast<const document_pairs&>(self);
             const neardup_document_pairs* const of = own.handle.get();
             if (name == "first") return view_of(neardup_document_pairs_first(of), own.size(), self);
             if (name == "second") return view_of(neardup_document_pairs_second(of), own.size(), self);
             if (name == "common") return view_of(neardup_document_pairs_common(of), own.size(), self);
             return view_of(neardup_document_pairs_similarity(of), own.size(), self);
           })
      .def("array", [](nb::handle self) { return array_capsules(table_of_document_pairs(self)); })
      .def("stream", [](nb::handle self) { return stream_capsule(table_of_document_pairs(self)); });

  m.def("gather",
        [](int width, const nb::list& blobs, const nb::tuple& settings, std::uint32_t partition, const nb::tuple& how) {
          const blob_list bytes(blobs);
          const neardup_shuffle shuffle = shuffle_of(settings);
          slot<neardup_document_pairs, neardup_document_pairs_free> made;
          call_long(how, [&](const neardup_run* run, neardup_error* error) {
            neardup_gather(width, bytes.data(), bytes.size(), &shuffle, partition, run, &made.value, error);
          });
          auto result = std::make_unique<document_pairs>();
          result->handle = made.take();
          result->are_candidates = shuffle.payload != NEARDUP_MOVE_SETS;
          return result;
        });

  m.def("verify_sets", [](const sets& a, const sets& b, const nb::tuple& settings) {
    if (a.size() != b.size()) throw nb::value_error("the two lists of sets must have the same length");
    const neardup_shuffle shuffle = shuffle_of(settings);
    auto* const common = new std::vector<std::uint32_t>(a.size());
    const nb::capsule common_owner(common,
                                   [](void* p) noexcept { delete static_cast<std::vector<std::uint32_t>*>(p); });
    auto* const similarity = new std::vector<double>(a.size());
    const nb::capsule owner(similarity, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    call_now(1, [&](const neardup_run*, neardup_error* error) {
      neardup_verify_sets(a.handle.get(), b.handle.get(), &shuffle.join, common->data(), similarity->data(), error);
    });
    return nb::make_tuple(
        nb::cast(nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>(common->data(), {common->size()}, common_owner)),
        nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(similarity->data(), {similarity->size()}, owner)));
  });
}

}  // namespace

NB_MODULE(_native, m) {
  // A table of Polars or Arrow may live until Python ends, and keeps the memory of a result. This is no leak, so
  // nanobind's warnings are off, except in a test that sets NEARDUP_LEAK_WARNINGS.
  nb::set_leak_warnings(std::getenv("NEARDUP_LEAK_WARNINGS") != nullptr);
  m.attr("version") = neardup_version();
  define_shuffle(m);
  define_passages(m);
  define_passage_shuffle(m);

  nb::class_<dictionary>(m, "Dictionary")
      .def(nb::init<const std::string&, const std::string&, const std::string&, bool, const std::string&>())
      .def("__len__", [](const dictionary& self) { return neardup_dictionary_size(self.handle.get()); });

  nb::class_<idf>(m, "Idf")
      .def_static("load",
                  [](const std::string& path) {
                    slot<neardup_idf, neardup_idf_free> made;
                    call_now(0, [&](const neardup_run*, neardup_error* error) {
                      neardup_idf_load(path.c_str(), &made.value, error);
                    });
                    return std::make_unique<idf>(idf{made.take()});
                  })
      .def_static(
          "learn",
          [](nb::handle texts, const nb::tuple& made_of, const nb::tuple& how) {
            const text_input in(texts);
            const composition of(made_of);
            slot<neardup_idf, neardup_idf_free> made;
            call_long(how, [&](const neardup_run* run, neardup_error* error) {
              neardup_idf_learn(of.get(), &in.input, run, &made.value, error);
            });
            return std::make_unique<idf>(idf{made.take()});
          },
          "texts"_a.none(), "made_of"_a, "how"_a)
      .def("save",
           [](const idf& self, const std::string& path) {
             call_now(0, [&](const neardup_run*, neardup_error* error) {
               neardup_idf_save(self.handle.get(), path.c_str(), error);
             });
           })
      .def("__len__", [](const idf& self) { return neardup_idf_size(self.handle.get()); });

  m.def("tokens", [](nb::bytes text, const nb::tuple& given) {
    nb::list result;
    const composition made_of(given);
    neardup_error error{};
    neardup_tokens(
        made_of.get(), {text.c_str(), text.size()},
        [](void* context, const char* token, std::size_t size) {
          static_cast<nb::list*>(context)->append(nb::bytes(token, size));
          return 0;
        },
        &result, &error);
    check(error);
    return result;
  });

  nb::class_<sets>(m, "Sets")
      .def(nb::init<int>())
      .def(
          "add_texts",
          [](sets& self, nb::handle texts, const nb::tuple& made_of, const nb::tuple& how) {
            const text_input in(texts);
            const composition of(made_of);
            call_either(how, in.is_small(), [&](const neardup_run* run, neardup_error* error) {
              neardup_sets_add_texts(self.handle.get(), of.get(), &in.input, run, error);
            });
          },
          "texts"_a.none(), "made_of"_a, "how"_a)
      .def("add_lists",
           [](sets& self, nb::handle lists) {
             arrow_object arrow;
             if (!arrow.open(lists)) throw nb::type_error("sets must be a column of lists");
             const neardup_input input{nullptr, 0, arrow.schema, arrow.array, arrow.stream};
             call_long(1, [&](const neardup_run*, neardup_error* error) {
               neardup_sets_add_lists(self.handle.get(), &input, error);
             });
           })
      .def("add_flat",
           [](sets& self, nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu> features,
              nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> offsets) {
             const std::size_t count = offsets.shape(0) - 1;
             const bool fits = neardup_sets_width(self.handle.get()) == 32
                                   ? features.dtype() == nb::dtype<std::uint32_t>()
                                   : features.dtype() == nb::dtype<std::uint64_t>();
             if (!fits) throw nb::type_error("features must be uint32 or uint64, as the width says");
             if (offsets.data()[0] < 0 || offsets.data()[count] > static_cast<std::int64_t>(features.shape(0))) {
               throw nb::value_error("an offset is beyond the features");
             }
             call_now(1, [&](const neardup_run*, neardup_error* error) {
               neardup_sets_add(self.handle.get(), features.data(), offsets.data(), count, error);
             });
           })
      .def_prop_ro("width", [](const sets& self) { return neardup_sets_width(self.handle.get()); })
      .def_prop_ro("nulls", [](const sets& self) { return neardup_sets_nulls(self.handle.get()); })
      .def("__len__", [](const sets& self) { return neardup_sets_size(self.handle.get()); })
      .def("offsets",
           [](nb::handle self) {
             const neardup_sets* const of = nb::cast<const sets&>(self).handle.get();
             return view_of(neardup_sets_offsets(of), neardup_sets_size(of) + 1, self);
           })
      .def("values",
           [](nb::handle self) {
             const neardup_sets* const of = nb::cast<const sets&>(self).handle.get();
             const auto count = static_cast<std::size_t>(neardup_sets_offsets(of)[neardup_sets_size(of)]);
             if (neardup_sets_width(of) == 32) {
               return view_of(static_cast<const std::uint32_t*>(neardup_sets_features(of)), count, self);
             }
             return view_of(static_cast<const std::uint64_t*>(neardup_sets_features(of)), count, self);
           })
      .def("arrow", [](nb::handle self) {
        const neardup_sets* const of = nb::cast<const sets&>(self).handle.get();
        const std::size_t n = neardup_sets_size(of);
        exported list = column("", "+L", neardup_sets_offsets(of), n, self);
        list.children.push_back(column("item", neardup_sets_width(of) == 32 ? "I" : "L",
                                       static_cast<const char*>(neardup_sets_features(of)),
                                       static_cast<std::size_t>(neardup_sets_offsets(of)[n]), self));
        return array_capsules(list);
      });

  nb::class_<edited_texts>(m, "Texts")
      .def(nb::init<>())
      .def(
          "add",
          [](edited_texts& self, nb::handle texts, const nb::tuple& how) {
            const text_input in(texts);
            const std::size_t more = in.bytes();
            self.bytes = more < std::string::npos - self.bytes ? self.bytes + more : std::string::npos;
            call_either(how, in.is_small(), [&](const neardup_run* run, neardup_error* error) {
              neardup_texts_add(self.handle.get(), &in.input, run, error);
            });
          },
          "texts"_a.none(), "how"_a)
      .def("part",
           [](const edited_texts& self, position_array positions) {
             auto made = std::make_unique<edited_texts>();
             made->bytes = self.bytes;
             neardup_error error{};
             neardup_texts_add_some(made->handle.get(), self.handle.get(), positions.data(), positions.shape(0),
                                    &error);
             check(error);
             return made;
           })
      .def("__len__", &edited_texts::size);

  nb::class_<pairs>(m, "Pairs")
      .def("__len__", &pairs::size)
      .def_prop_ro("columns", [](const pairs& self) { return self.columns; })
      .def("column",
           [](nb::handle self, const std::string& name) -> nb::object {
             const pairs& own = nb::cast<const pairs&>(self);
             const neardup_pairs* const of = own.handle.get();
             if (name == "first") return view_of(neardup_pairs_first(of), own.size(), self);
             if (name == "second") return view_of(neardup_pairs_second(of), own.size(), self);
             if (name == "common") return view_of(neardup_pairs_common(of), own.size(), self);
             if (name == "distance") return view_of(neardup_pairs_distance(of), own.size(), self);
             return view_of(neardup_pairs_similarity(of), own.size(), self);
           })
      .def("array", [](nb::handle self) { return array_capsules(table_of(self)); })
      .def("stream", [](nb::handle self) { return stream_capsule(table_of(self)); });

  m.def(
      "pairs_of",
      [](const std::string& columns, const nb::dict& of) {
        neardup_pairs* made = nullptr;
        neardup_error error{};
        const position_columns arrays(of);
        const neardup_pair_view view = arrays.view();
        neardup_pairs_new(&view, &made, &error);
        owned<neardup_pairs, neardup_pairs_free> handle(made);
        check(error);
        for (const char* const known : {sets::columns, edited_texts::columns, codes::columns}) {
          if (columns == known) return std::make_unique<pairs>(std::move(handle), known);
        }
        throw nb::value_error("pairs do not have these columns");
      },
      "columns"_a, "of"_a);
  m.def(
      "group_pairs",
      [](const nb::dict& of, std::size_t count, const nb::object& prefer, bool components) {
        const position_columns arrays(of);
        using scores = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
        neardup_grouping grouping{};
        grouping.components = components ? 1 : 0;
        scores given;
        if (!prefer.is_none()) {
          given = nb::cast<scores>(prefer);
          if (given.shape(0) != count) throw nb::value_error("there must be as many scores as texts");
          if (count > 0) grouping.preference = given.data();
        }
        auto* const labels = new std::vector<std::uint32_t>(count);
        const nb::capsule owner(labels,
                                [](void* all) noexcept { delete static_cast<std::vector<std::uint32_t>*>(all); });
        neardup_error error{};
        {
          const nb::gil_scoped_release released;
          const neardup_pair_view view = arrays.view();
          neardup_group_pairs(&view, count, &grouping, labels->data(), &error);
        }
        check(error);
        return nb::cast(nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>(labels->data(), {count}, owner));
      },
      "of"_a, "count"_a, "prefer"_a.none(), "components"_a);

  define_joins<sets, neardup_pairs_of_sets, neardup_verify, neardup_group, neardup_extend_groups>(m);
  define_joins<edited_texts, neardup_pairs_of_texts, neardup_verify_texts, neardup_group_texts,
               neardup_extend_groups_of_texts>(m);

  nb::class_<codes>(m, "Codes")
      .def_static("of_arrow", &codes_of_arrow)
      .def_static("of_bytes",
                  [](nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> bytes) {
                    auto result = std::make_unique<codes>();
                    result->bits = static_cast<int>(8 * bytes.shape(1));
                    if (bytes.shape(1) != 4 && bytes.shape(1) != 8 && bytes.shape(1) != 16 && bytes.shape(1) != 32) {
                      throw nb::value_error("codes must have 32, 64, 128 or 256 bits");
                    }
                    for (std::size_t i = 0; i < bytes.shape(0); ++i)
                      result->add_bytes(bytes.data() + i * bytes.shape(1), true);
                    return result;
                  })
      .def("part",
           [](const codes& self, position_array positions) {
             auto made = std::make_unique<codes>();
             made->bits = self.bits;
             const std::size_t stride = self.stride();
             for (std::size_t i = 0; i < positions.shape(0); ++i) {
               const std::size_t position = positions.data()[i];
               if (position >= self.size()) throw nb::value_error("there is no code at this position");
               const auto* const words = self.words.data() + position * stride;
               made->words.insert(made->words.end(), words, words + stride);
               made->valid.push_back(self.valid[position]);
             }
             return made;
           })
      .def_ro("bits", &codes::bits)
      .def_prop_ro("nulls", &codes::nulls)
      .def("__len__", &codes::size)
      .def("words",
           [](nb::handle self) {
             const codes& own = nb::cast<const codes&>(self);
             return view_of(own.words.data(), own.words.size(), self);
           })
      .def("valid",
           [](nb::handle self) {
             const codes& own = nb::cast<const codes&>(self);
             return view_of(own.valid.data(), own.valid.size(), self);
           })
      .def("arrow", [](nb::handle self) {
        const codes& own = nb::cast<const codes&>(self);
        exported of = column("", "L", own.words.data(), own.size(), self);
        if (own.bits != 64) of.format = "w:" + std::to_string(own.bits / 8);
        if (own.bits == 32) {  // half of each word
          auto halves = std::make_shared<std::vector<std::uint8_t>>(4 * own.size());
          for (std::size_t i = 0; i < own.size(); ++i) {
            for (std::size_t b = 0; b < 4; ++b)
              (*halves)[4 * i + b] = static_cast<std::uint8_t>(own.words[i] >> (8 * b));
          }
          of.format = "I";
          of.buffers[1] = halves->data();
          of.owner = nb::make_tuple(of.owner, nb::capsule(new std::shared_ptr<void>(halves), [](void* p) noexcept {
                                      delete static_cast<std::shared_ptr<void>*>(p);
                                    }));
        }
        of.null_count = own.nulls();
        if (of.null_count > 0) {
          of.bitmap = bitmap_of(own.valid.data(), own.size());
          of.buffers[0] = of.bitmap->data();
        }
        return array_capsules(of);
      });

  m.def(
      "codes_of_texts",
      [](nb::handle texts, const nb::tuple& made_of, int kind, int bits, const nb::object& weights, const idf* table,
         const nb::tuple& how) {
        const text_input in(texts);
        const composition of(made_of);
        const std::string weights_name = weights.is_none() ? "" : nb::cast<std::string>(weights);
        const neardup_code_options options{static_cast<neardup_code_kind>(kind), bits,
                                           weights.is_none() ? nullptr : weights_name.c_str(),
                                           table == nullptr ? nullptr : table->handle.get()};
        slot<neardup_codes, neardup_codes_free> made;
        call_either(how, in.is_small(), [&](const neardup_run* run, neardup_error* error) {
          neardup_codes_of_texts(of.get(), &options, &in.input, run, &made.value, error);
        });
        auto result = std::make_unique<codes>();
        result->bits = bits;
        const std::size_t n = neardup_codes_size(made.value);
        const std::uint64_t* const words = neardup_codes_words(made.value);
        result->valid.assign(neardup_codes_valid(made.value), neardup_codes_valid(made.value) + n);
        result->words.assign(words, words + n * result->stride());
        return result;
      },
      "texts"_a.none(), "made_of"_a, "kind"_a, "bits"_a, "weights"_a.none(), "table"_a.none(), "how"_a);

  m.def(
      "near_pairs",
      [](const codes& of, const codes* others, int k, bool copies_once, const nb::tuple& how) {
        const neardup_code_view a = of.view(), b = others == nullptr ? neardup_code_view{} : others->view();
        slot<neardup_pairs, neardup_pairs_free> made;
        const bool is_small = of.is_small() && (others == nullptr || others->is_small());
        call_either(how, is_small, [&](const neardup_run* run, neardup_error* error) {
          neardup_near_pairs(&a, others == nullptr ? nullptr : &b, k, copies_once ? 1 : 0, run, &made.value, error);
        });
        return std::make_unique<pairs>(made.take(), codes::columns);
      },
      "of"_a, "others"_a.none(), "k"_a, "copies_once"_a, "how"_a);

  m.def("cluster", [](const codes& of, int k, const nb::tuple& how) {
    const neardup_code_view view = of.view();
    auto* const labels = new std::vector<std::uint32_t>(of.size());
    const nb::capsule owner(labels, [](void* all) noexcept { delete static_cast<std::vector<std::uint32_t>*>(all); });
    call_either(how, of.is_small(), [&](const neardup_run* run, neardup_error* error) {
      neardup_cluster(&view, k, run, labels->data(), error);
    });
    return nb::cast(nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>(labels->data(), {labels->size()}, owner));
  });

  nb::class_<matches>(m, "Matches")
      .def("__len__", &matches::size)
      .def("column",
           [](nb::handle self, const std::string& name) -> nb::object {
             const matches& own = nb::cast<const matches&>(self);
             const neardup_matches* const of = own.handle.get();
             if (name == "query") return view_of(neardup_matches_query(of), own.size(), self);
             if (name == "id") return view_of(neardup_matches_id(of), own.size(), self);
             if (name == "common") return view_of(neardup_matches_common(of), own.size(), self);
             if (name == "similarity") return view_of(neardup_matches_similarity(of), own.size(), self);
             return view_of(neardup_matches_distance(of), own.size(), self);
           })
      .def(
          "array",
          [](nb::handle self, const nb::object& offsets, const nb::object& data) {
            return array_capsules(table_of_matches(self, offsets, data));
          },
          "offsets"_a.none(), "data"_a.none())
      .def(
          "stream",
          [](nb::handle self, const nb::object& offsets, const nb::object& data) {
            return stream_capsule(table_of_matches(self, offsets, data));
          },
          "offsets"_a.none(), "data"_a.none());

  nb::class_<code_index>(m, "Index")
      .def_static("make",
                  [](int bits, int k, int blocks) {
                    neardup_index* made = nullptr;
                    neardup_error error{};
                    neardup_index_new(bits, k, blocks, &made, &error);
                    check(error);
                    return std::make_unique<code_index>(made);
                  })
      .def_static(
          "load",
          [](const std::string& path, int bits, const nb::object& made_of, bool is_mapped) {
            neardup_index* made = nullptr;
            const std::string name = made_of.is_none() ? "" : nb::cast<std::string>(made_of);
            call_now(0, [&](const neardup_run*, neardup_error* error) {
              neardup_index_load(path.c_str(), bits, made_of.is_none() ? nullptr : name.c_str(), is_mapped ? 1 : 0,
                                 &made, error);
            });
            return std::make_unique<code_index>(made);
          },
          "path"_a, "bits"_a, "made_of"_a.none(), "is_mapped"_a)
      .def("insert",
           [](code_index& self, const codes& of, id_array ids) { return self.change(of, ids, neardup_index_insert); })
      .def("erase",
           [](code_index& self, const codes& of, id_array ids) { return self.change(of, ids, neardup_index_erase); })
      .def("search",
           [](const code_index& self, const codes& queries, int k, const nb::tuple& how) {
             const neardup_code_view view = queries.view();
             slot<neardup_matches, neardup_matches_free> made;
             const auto work = [&](const neardup_run* run, neardup_error* error) {
               const std::shared_lock lock(self.mutex);
               neardup_index_search(self.handle.get(), &view, k, run, &made.value, error);
             };
             if (queries.size() < 1024) {
               call_now(how, work);
             } else {
               call_long(how, work);
             }
             return std::make_unique<matches>(made.take(), false);
           })
      .def("save",
           [](const code_index& self, const std::string& path, const std::string& made_of) {
             call_now(0, [&](const neardup_run*, neardup_error* error) {
               const std::shared_lock lock(self.mutex);
               neardup_index_save(self.handle.get(), path.c_str(), made_of.c_str(), error);
             });
           })
      .def_prop_ro("bits", [](const code_index& self) { return neardup_index_bits(self.handle.get()); })
      .def_prop_ro("k", [](const code_index& self) { return neardup_index_k(self.handle.get()); })
      .def("__len__", [](const code_index& self) {
        const nb::gil_scoped_release release;
        const std::shared_lock lock(self.mutex);
        return neardup_index_size(self.handle.get());
      });

  nb::class_<feature_index>(m, "SetIndex")
      .def_static("make",
                  [](int width, double similarity, int measure, std::size_t min_common) {
                    return std::make_unique<feature_index>(width, join_of(similarity, measure, min_common, false));
                  })
      .def("insert",
           [](feature_index& self, const sets& of, id_array ids, const nb::tuple& how) {
             if (ids.shape(0) != of.size()) throw nb::value_error("there must be as many ids as texts");
             std::size_t inserted = 0;
             call_either(how, of.is_small(), [&](const neardup_run* run, neardup_error* error) {
               const std::unique_lock lock(self.mutex);
               neardup_set_index_insert(self.handle.get(), of.handle.get(), ids.data(), run, &inserted, error);
             });
             return inserted;
           })
      .def("erase",
           [](feature_index& self, id_array ids) {
             std::size_t erased = 0;
             call_now(0, [&](const neardup_run*, neardup_error* error) {
               const std::unique_lock lock(self.mutex);
               neardup_set_index_erase(self.handle.get(), ids.data(), ids.shape(0), &erased, error);
             });
             return erased;
           })
      .def("search",
           [](const feature_index& self, const sets& queries, double similarity, bool nearest_only,
              const nb::tuple& how) {
             slot<neardup_matches, neardup_matches_free> made;
             const auto work = [&](const neardup_run* run, neardup_error* error) {
               const std::shared_lock lock(self.mutex);
               neardup_set_index_search(self.handle.get(), queries.handle.get(), similarity, nearest_only ? 1 : 0, run,
                                        &made.value, error);
             };
             // Many searches of a large index are made by call_long(), so that they can be interrupted.
             const bool is_small =
                 queries.is_small() && (queries.size() <= 4 || self.read(neardup_set_index_size) < 10'000);
             call_either(how, is_small, work);
             return std::make_unique<matches>(made.take(), true);
           })
      .def("__contains__",
           [](const feature_index& self, std::uint64_t id) {
             return self.read([&](const neardup_set_index* of) { return neardup_set_index_contains(of, id) != 0; });
           })
      .def_prop_ro("memory", [](const feature_index& self) { return self.read(neardup_set_index_memory); })
      .def("__len__", [](const feature_index& self) { return self.read(neardup_set_index_size); });

  nb::class_<verdicts>(m, "Verdicts")
      .def("__len__", [](const verdicts& self) { return self.is_new.size(); })
      .def("column",
           [](nb::handle self, const std::string& name) -> nb::object {
             const verdicts& own = nb::cast<const verdicts&>(self);
             static_assert(sizeof(bool) == 1);
             if (name == "is_new") {
               return view_of(reinterpret_cast<const bool*>(own.is_new.data()), own.is_new.size(), self);
             }
             if (name == "original") return view_of(own.original.data(), own.original.size(), self);
             return view_of(own.similarity.data(), own.similarity.size(), self);
           })
      .def(
          "array",
          [](nb::handle self, const nb::object& offsets, const nb::object& data) {
            return array_capsules(table_of_verdicts(self, offsets, data));
          },
          "offsets"_a.none(), "data"_a.none())
      .def(
          "stream",
          [](nb::handle self, const nb::object& offsets, const nb::object& data) {
            return stream_capsule(table_of_verdicts(self, offsets, data));
          },
          "offsets"_a.none(), "data"_a.none());

  nb::class_<dedup>(m, "Dedup")
      .def_static(
          "make",
          [](const nb::tuple& made_of, double similarity, std::uint64_t max_documents, std::uint64_t max_bytes,
             std::uint64_t max_age, bool duplicates_renew, bool refuse_when_full, const std::string& path,
             bool is_durable) {
            if (similarity == 0) throw nb::value_error("the similarity must be above 0");
            const composition of(made_of);
            const neardup_dedup_options options{
                similarity, max_documents, max_bytes, max_age, duplicates_renew ? 1 : 0, refuse_when_full ? 1 : 0};
            neardup_dedup* made = nullptr;
            call_now(0, [&](const neardup_run*, neardup_error* error) {
              if (path.empty()) {
                neardup_dedup_new(of.get(), &options, &made, error);
              } else if (is_durable) {
                neardup_dedup_open(path.c_str(), of.get(), &options, &made, error);
              } else {
                neardup_dedup_load(path.c_str(), of.get(), &options, &made, error);
              }
            });
            return std::make_unique<dedup>(made);
          })
      .def(
          "add",
          [](dedup& self, nb::handle texts, const nb::object& ids, const nb::object& now, const nb::tuple& how) {
            std::optional<id_array> numbers;
            if (!ids.is_none()) numbers = nb::cast<id_array>(ids);
            const std::uint64_t time = now.is_none() ? 0 : nb::cast<std::uint64_t>(now);
            return decide_all(texts, how,
                              [&, has_time = !now.is_none()](const neardup_input& input, std::size_t first,
                                                             std::size_t count, const neardup_verdicts& to,
                                                             const neardup_run* run, neardup_error* error) {
                                if (numbers && first + count > numbers->shape(0)) {
                                  error->status = NEARDUP_INVALID;
                                  std::strcpy(error->message, "there must be as many ids as texts");
                                  return;
                                }
                                const std::unique_lock lock(self.mutex);
                                self.use(error, [&](neardup_dedup* of) {
                                  neardup_dedup_add(of, &input, numbers ? numbers->data() + first : nullptr,
                                                    has_time ? &time : nullptr, run, &to, error);
                                });
                              });
          },
          "texts"_a.none(), "ids"_a.none(), "now"_a.none(), "how"_a)
      .def(
          "add_one",
          [](dedup& self, nb::handle of_new, nb::handle text, const nb::object& id, const nb::object& now) {
            const std::uint64_t number = id.is_none() ? 0 : nb::cast<std::uint64_t>(id);
            const std::uint64_t time = now.is_none() ? 0 : nb::cast<std::uint64_t>(now);
            return decide_one(of_new, text,
                              [&, has_id = !id.is_none(), has_time = !now.is_none()](
                                  const neardup_input& input, const neardup_verdicts& to, const neardup_run* run,
                                  neardup_error* error) {
                                const std::unique_lock lock(self.mutex);
                                self.use(error, [&](neardup_dedup* of) {
                                  neardup_dedup_add(of, &input, has_id ? &number : nullptr, has_time ? &time : nullptr,
                                                    run, &to, error);
                                });
                              });
          },
          "of_new"_a, "text"_a.none(), "id"_a.none(), "now"_a.none())
      .def(
          "find_one",
          [](const dedup& self, nb::handle of_new, nb::handle text) {
            return decide_one(of_new, text,
                              [&](const neardup_input& input, const neardup_verdicts& to, const neardup_run* run,
                                  neardup_error* error) {
                                const std::shared_lock lock(self.mutex);
                                self.use(error,
                                         [&](neardup_dedup* of) { neardup_dedup_find(of, &input, run, &to, error); });
                              });
          },
          "of_new"_a, "text"_a.none())
      .def(
          "find",
          [](const dedup& self, nb::handle texts, const nb::tuple& how) {
            return decide_all(texts, how,
                              [&](const neardup_input& input, std::size_t, std::size_t, const neardup_verdicts& to,
                                  const neardup_run* run, neardup_error* error) {
                                const std::shared_lock lock(self.mutex);
                                self.use(error,
                                         [&](neardup_dedup* of) { neardup_dedup_find(of, &input, run, &to, error); });
                              });
          },
          "texts"_a.none(), "how"_a)
      .def("erase",
           [](dedup& self, std::uint64_t id) {
             int was_kept = 0;
             call_now(0, [&](const neardup_run*, neardup_error* error) {
               const std::unique_lock lock(self.mutex);
               self.use(error, [&](neardup_dedup* of) { neardup_dedup_erase(of, id, &was_kept, error); });
             });
             return was_kept != 0;
           })
      .def("save",
           [](dedup& self, const std::string& path) {
             call_now(0, [&](const neardup_run*, neardup_error* error) {
               const std::unique_lock lock(self.mutex);
               self.use(error, [&](neardup_dedup* of) {
                 neardup_dedup_save(of, path.empty() ? nullptr : path.c_str(), error);
               });
             });
           })
      .def("close",
           [](dedup& self) {
             const nb::gil_scoped_release release;
             const std::unique_lock lock(self.mutex);
             self.handle.reset();
           })
      .def_prop_ro("is_open", [](const dedup& self) { return self.handle != nullptr; })
      .def("__len__", [](const dedup& self) { return self.read(neardup_dedup_size); })
      .def_prop_ro("added", [](const dedup& self) { return self.read(neardup_dedup_added); })
      .def_prop_ro("memory", [](const dedup& self) { return self.read(neardup_dedup_memory); })
      .def("__contains__", [](const dedup& self, std::uint64_t id) {
        return self.read([&](const neardup_dedup* of) { return neardup_dedup_contains(of, id) != 0; });
      });
}
