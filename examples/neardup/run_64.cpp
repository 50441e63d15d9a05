#include "run_bits.hpp"

template bool command::run<64>(options& settings);
