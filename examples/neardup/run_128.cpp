#include "run_bits.hpp"

template bool command::run<128>(options& settings);
