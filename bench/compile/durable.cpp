// A durable deduplicator with strings as ids, and a batch. ./dev bench compile measures how long it takes to compile.
#include <neardup/dedup/deduplicator.hpp>
#include <neardup/storage/deduplicator_file.hpp>
#include <neardup/threads.hpp>

#include <iostream>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  if (count < 2) return 2;
  neardup::durable_deduplicator durable(arguments[1], neardup::make_deduplicator<std::string>(neardup::jaccard{0.8}));
  const std::vector<std::string> texts = {"the ferry leaves at seven", "the train leaves at eight"};
  const std::vector<std::string> names = {"ferry", "train"};
  for (const auto& verdict : durable.add_batch(texts, names, neardup::threads{2}))
    std::cout << verdict.is_new() << '\n';
}
