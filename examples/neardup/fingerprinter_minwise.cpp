#include "fingerprinter.hpp"

template std::unique_ptr<command::fingerprinter> command::make_minwise_fingerprinter<32>(const options& settings);
template std::unique_ptr<command::fingerprinter> command::make_minwise_fingerprinter<64>(const options& settings);
template std::unique_ptr<command::fingerprinter> command::make_minwise_fingerprinter<128>(const options& settings);
template std::unique_ptr<command::fingerprinter> command::make_minwise_fingerprinter<256>(const options& settings);
