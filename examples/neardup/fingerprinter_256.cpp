#include "fingerprinter.hpp"

template std::unique_ptr<command::fingerprinter> command::make_fingerprinter_of<256>(const options& settings);
