#pragma once
#include <string_view>

bool same_text(std::string_view a, std::string_view b);
