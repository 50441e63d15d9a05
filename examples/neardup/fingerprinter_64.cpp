#include "fingerprinter.hpp"

template std::unique_ptr<command::fingerprinter> command::make_simhash_fingerprinter<64>(const options& settings);
