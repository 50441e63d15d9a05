#include "run_bits.hpp"

template bool command::run<32>(options& settings);
