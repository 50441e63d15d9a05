#pragma once

#include "neardup/neardup.hpp"

#include <optional>
#include <string_view>

std::optional<neardup::simhash<64>> second_source(std::string_view text);
