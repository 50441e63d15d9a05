#include "duplicates.hpp"

#include <neardup/fingerprint.hpp>

bool same_text(std::string_view a, std::string_view b) { return neardup::near_duplicates(a, b); }
