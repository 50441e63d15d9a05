#include "run_bits.hpp"

template void command::run<32>(options& settings);
