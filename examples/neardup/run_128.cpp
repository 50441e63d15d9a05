#include "run_bits.hpp"

template void command::run<128>(options& settings);
