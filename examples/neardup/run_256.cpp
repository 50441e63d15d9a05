#include "run_bits.hpp"

template bool command::run<256>(options& settings);
