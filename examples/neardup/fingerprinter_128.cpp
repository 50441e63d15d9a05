#include "fingerprinter.hpp"

template std::unique_ptr<command::fingerprinter> command::make_simhash_fingerprinter<128>(const options& settings);
