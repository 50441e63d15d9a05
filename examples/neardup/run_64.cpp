#include "run_bits.hpp"

template void command::run<64>(options& settings);
