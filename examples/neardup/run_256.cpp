#include "run_bits.hpp"

template void command::run<256>(options& settings);
