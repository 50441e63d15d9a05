#include "run_bits.hpp"

template void command::run<64>(const options& settings);
