// Two source files make the same calls: one links neardup::compiled, one has only the headers. Their results must be
// equal.
#include <iostream>
#include <string>

std::string results_of_compiled(const char* path);
std::string results_of_headers(const char* path);

int main() {
  const std::string compiled = results_of_compiled("seen.neardup"), headers = results_of_headers("seen.neardup");
  std::cout << compiled << '\n';
  if (compiled != headers) std::cout << "by the headers:\n" << headers << '\n';
  return compiled == headers && compiled.ends_with("2 known") ? 0 : 1;
}
