// `neardup hash`: the fingerprint of each document.
#pragma once

#include <cstddef>
#include <string>

#include "context.hpp"
#include "corpus.hpp"

namespace command {

template <std::size_t Bits>
void run_hash(context& c) {
  for_each_document<Bits>(
      c,
      [&](const placed_document<Bits>& d) {
        const std::string id = d.id ? std::string(*d.id) : default_id(*d.from, d.line);
        if (c.settings.format == output_format::json_lines) {
          c.out << "{\"id\":" << json_string(id)
                << ",\"fingerprint\":" << (d.facts.has_tokens ? '"' + d.facts.fingerprint.to_hex() + '"' : "null")
                << "}\n";
        } else {
          c.out << (d.facts.has_tokens ? d.facts.fingerprint.to_hex() : "-") << "  " << printable(id) << '\n';
        }
      },
      [&](const finished_batch<Bits>& done) {
        if (done.input.live) c.out.flush();
      });
  finish(c, "");
}

}  // namespace command
