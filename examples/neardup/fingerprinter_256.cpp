#include "fingerprinter.hpp"

template std::unique_ptr<command::fingerprinter> command::make_simhash_fingerprinter<256>(const options& settings);
