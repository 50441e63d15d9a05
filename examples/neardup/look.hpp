// `neardup tokens` and `neardup find`: a look at what documents hold.
#pragma once

#include "context.hpp"

namespace command {

/// Prints the features of each document with their weights.
void run_tokens(context& c);

/// Prints the documents that hold a clue, or something near it; those that hold most of it first.
void run_find(context& c);

}  // namespace command
