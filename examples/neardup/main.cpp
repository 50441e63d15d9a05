// neardup: finds near-duplicate documents. The first example program of the library of that name.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <variant>

#include "diff.hpp"
#include "errors.hpp"
#include "options.hpp"
#include "output.hpp"
#include "platform.hpp"
#include "report.hpp"
#include "run.hpp"
#include "shard_files.hpp"

namespace {

constexpr int nothing_found = 1;
constexpr int failure = 2;

[[noreturn]] void fail_without_memory() {
  std::fputs("neardup: not enough memory\n", stderr);
  std::_Exit(failure);
}

bool run(command::options settings) {
  if (settings.writes_file_at_end()) command::check_output(settings.output_file);
  if (settings.shard) command::check_features_output(settings.output_file);
  command::load_dictionary(settings);
  switch (settings.action) {
    case command::verb::advise: command::run_advise(settings); return true;
    case command::verb::diff: command::run_diff(settings); return true;
    case command::verb::verify: command::run_verify(settings); return true;
    case command::verb::manifest: command::run_manifest(settings); return true;
    default: break;
  }
  switch (settings.bits) {
    case 32: return command::run<32>(settings);
    case 128: return command::run<128>(settings);
    case 256: return command::run<256>(settings);
    default: return command::run<64>(settings);
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::set_new_handler(fail_without_memory);
  command::prepare_standard_streams();
  try {
    command::command_line line = command::parse_command_line(count, arguments);
    if (const auto* const text = std::get_if<std::string>(&line)) {
      command::output out("");
      out << *text;
      out.close();
    } else {
      const bool tells = std::get<command::options>(line).exit_status;
      if (!run(std::get<command::options>(std::move(line))) && tells) return nothing_found;
    }
    return 0;
  } catch (const command::usage_error& error) {
    command::say(error.what());
    command::say("'neardup --help' lists the verbs, 'neardup VERB --help-all' all options of one");
  } catch (const command::reader_gone& error) {
    command::end_by_closed_pipe();
    command::say(error.what());
  } catch (const std::exception& error) {
    command::say(error.what());
  }
  return failure;
}
