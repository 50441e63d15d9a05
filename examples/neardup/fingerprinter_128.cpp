#include "fingerprinter.hpp"

template std::unique_ptr<command::fingerprinter> command::make_fingerprinter_of<128>(const options& settings);
