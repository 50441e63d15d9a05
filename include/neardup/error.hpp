// SPDX-License-Identifier: MIT
// Reports failed calls: by an exception, or by a handler if exceptions are off.
#pragma once

#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "version.hpp"

// If exceptions are on, MSVC defines _CPPUNWIND, and g++ and clang define __cpp_exceptions.
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define NEARDUP_EXCEPTIONS 1
#else
#define NEARDUP_EXCEPTIONS 0
#endif

// NEARDUP_COLD marks a function that runs once for a whole join or file, or when a call fails. Compilers optimise such
// a function for size.
#if defined(__GNUC__)
#define NEARDUP_COLD [[gnu::cold]]
#else
#define NEARDUP_COLD
#endif

namespace neardup::inline v0 {

/// The type of the function that reports a failed call, in a program that is built with -fno-exceptions.
/// Precondition: the function does not return.
using failure_handler = void (*)(const char* message);

namespace detail {

[[noreturn]] inline void default_failure_handler(const char* message) {
  std::fprintf(stderr, "neardup: %s\n", message);
  std::abort();
}

inline std::atomic<failure_handler>& current_failure_handler() noexcept {
  static std::atomic<failure_handler> handler{&default_failure_handler};
  return handler;
}

/// One part of an error message: a text or a number. The text is not copied, so it must exist until the end of the
/// call.
class message_part {
 public:
  // NOLINTBEGIN(google-explicit-constructor): see fail()
  constexpr message_part(const char* text) noexcept : message_part(std::string_view(text)) {}
  message_part(const std::string& text) noexcept : message_part(std::string_view(text)) {}
  constexpr message_part(std::string_view text) noexcept : text_(text.data()), value_(text.size()), kind_(kind::text) {}
  template <std::integral Number>
  constexpr message_part(Number number) noexcept
      : value_(static_cast<std::uint64_t>(number)), kind_(std::cmp_less(number, 0) ? kind::negative : kind::natural) {}
  constexpr message_part(double number) noexcept : value_(std::bit_cast<std::uint64_t>(number)), kind_(kind::real) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] NEARDUP_COLD std::string to_string() const {
    switch (kind_) {
      case kind::text: return {text_, static_cast<std::size_t>(value_)};
      case kind::natural: return std::to_string(value_);
      case kind::negative: return std::to_string(static_cast<std::int64_t>(value_));
      case kind::real: break;
    }
    // Writes the fewest digits that distinguish the number from all others: 0.8 becomes "0.8", and the least number
    // above 1 does not become "1".
    const auto number = std::bit_cast<double>(value_);
    char digits[32];
    for (int precision = 15;; ++precision) {
      std::snprintf(digits, sizeof digits, "%.*g", precision, number);
      if (precision == 17 || std::strtod(digits, nullptr) == number) return digits;
    }
  }

 private:
  enum class kind : char { text, natural, negative, real };

  const char* text_ = nullptr;
  std::uint64_t value_;
  kind kind_;
};

/// Joins the parts of a message. This is a separate function, so that the code for messages is not in every function
/// that may fail.
[[nodiscard]] NEARDUP_COLD inline std::string message_of(std::initializer_list<message_part> parts) {
  std::string message;
  for (const message_part& part : parts) message += part.to_string();
  return message;
}

/// Reports a failed call.
/// Throws: Exception{message}. With -fno-exceptions, the failure handler is called instead, and then the program ends.
/// Example: `fail<std::length_error>({"no room for ", count, " sets"})`
template <class Exception>
NEARDUP_COLD [[noreturn]] void fail(std::initializer_list<message_part> parts) {
#if NEARDUP_EXCEPTIONS
  throw Exception(message_of(parts));
#else
  current_failure_handler().load()(message_of(parts).c_str());
  std::abort();  // a handler must not return; this line ends the program if it does
#endif
}
template <class Exception>
NEARDUP_COLD [[noreturn]] void fail(const message_part& message) {
  fail<Exception>({message});
}

/// A scope guard: calls a function at the end of the scope, unless is_due was set to false. Use the guard to undo an
/// operation if a later operation throws.
template <class Function>
struct undo {
  Function function;
  bool is_due = true;

  ~undo() {
    if (is_due) function();
  }
};
template <class Function>
undo(Function) -> undo<Function>;

}  // namespace detail

/// Sets the handler that is called for failed calls in builds without exceptions. A null pointer restores the default
/// handler, which prints the message and aborts.
/// Returns: the previous handler.
inline failure_handler set_failure_handler(failure_handler handler) noexcept {
  return detail::current_failure_handler().exchange(handler != nullptr ? handler : &detail::default_failure_handler);
}

}  // namespace neardup::inline v0
