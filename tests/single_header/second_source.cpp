#include "second_source.hpp"

std::optional<neardup::simhash<64>> second_source(std::string_view text) { return neardup::simhash_of(text); }
