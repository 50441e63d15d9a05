#include "combining.hpp"

#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "running.hpp"

namespace command {

void take_kind_of_shards(typed_options& typed, const run_settings& to) {
  const stored_fingerprints stored = read_header(to.input.paths.front());
  typed.set("--bits", {std::to_string(stored.bits)});
  typed.set("--kind", {std::string(to_string(stored.kind))});
}

run_settings take_combination(typed_options& typed, const std::function<void(run_settings&)>& stored,
                              const std::function<void(run_settings&)>& comparison) {
  run_settings to = settings_of(typed);
  to.output.is_saved = typed.takes(takes::saved_output);
  if (to.input.paths.empty()) throw usage_error("no input: name files of shards");
  if (to.output.is_saved && to.output.file.empty()) {
    throw usage_error(typed.chosen->name + std::string(" writes to a file: --output FILE"));
  }
  if (stored) stored(to);
  take_fingerprint(typed, {}, to);
  if (comparison) comparison(to);
  to.choice.reset();
  take_output(typed, to);
  std::vector<std::string> beside;
  for (const std::string& path : to.input.paths) {
    beside.insert(beside.end(), {features_path(path), features_path(link_target(path))});
  }
  refuse_overwriting(to, beside, false);
  need_little_endian();
  if (to.output.is_saved) check_output(to.output.file);
  return to;
}

}  // namespace command
