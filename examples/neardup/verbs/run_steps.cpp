#include "run_steps.hpp"

#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "running.hpp"

namespace command {

run_settings take_files_of_run(const typed_options& typed, const std::vector<std::string>& others) {
  run_settings to = settings_of(typed);
  to.output.is_saved = typed.takes(takes::saved_output);
  if (to.input.paths.empty()) throw usage_error("no input: name the files of a run, or their folder");
  if (to.output.is_saved && to.output.file.empty()) {
    throw usage_error(typed.chosen->name + std::string(" writes to a file: --output FILE"));
  }
  take_output(typed, to);
  refuse_overwriting(to, others, false);
  if (to.output.is_saved) check_output(to.output.file);
  return to;
}

void refuse_output_among(run_settings settings, const std::vector<std::string>& files) {
  settings.input.paths = files;
  refuse_overwriting(settings, {}, false);
}

std::uint64_t required_number(const typed_options& typed, const char* option, std::uint64_t most) {
  const auto text = typed[option];
  if (!text) throw usage_error(typed.chosen->name + std::string(" needs ") + option + " N, counted from 0");
  return parse_number<std::uint64_t>(option, *text, 0, most);
}

}  // namespace command
