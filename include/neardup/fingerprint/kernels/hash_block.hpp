// The hashes of many tokens, as the kernels take them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup::inline v0::detail {

/// Hashes of `Words` words, column by column: word j of hash i is columns[j][i].
template <std::size_t Words>
struct hash_block {
  static constexpr std::size_t capacity = 1024;
  static constexpr std::size_t slack = 16;  // kernels write whole vectors

  alignas(64) std::uint64_t columns[Words][capacity + slack];
  std::size_t count = 0;

  hash_block() noexcept {}  // NOLINT(modernize-use-equals-default): the columns stay uninitialised

  [[nodiscard]] std::size_t room() const noexcept { return capacity - count; }
};

/// What takes full blocks and empties them: refers to a callable `consume(hash_block<Words>&)` that outlives it.
/// Not a template parameter of the kernels, so that they are compiled once for all compositions of one width.
template <std::size_t Words>
class block_consumer {
 public:
  template <class Consume>
  block_consumer(
      const Consume& consume) noexcept  // NOLINT(google-explicit-constructor): lambdas are passed as they are
      : object_(&consume),
        call_([](const void* object, hash_block<Words>& block) { (*static_cast<const Consume*>(object))(block); }) {}
  block_consumer(const block_consumer&) noexcept = default;
  block_consumer& operator=(const block_consumer&) noexcept = default;
  ~block_consumer() = default;

  void operator()(hash_block<Words>& block) const { call_(object_, block); }

 private:
  const void* object_;
  void (*call_)(const void* object, hash_block<Words>& block);
};

}  // namespace neardup::inline v0::detail
