// neardup, the command line program: finds near-duplicate documents with the library of the same name.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <system_error>

#include "ground/errors.hpp"
#include "ground/platform.hpp"
#include "ground/text.hpp"
#include "line/command_line.hpp"
#include "verbs/table.hpp"
#include "write/output.hpp"

namespace {

constexpr int nothing_found = 1;
constexpr int failure = 2;

[[noreturn]] void fail_without_memory() {
  std::fputs("neardup: not enough memory\n", stderr);
  std::_Exit(failure);
}

}  // namespace

int main(int count, char** arguments) {
  std::set_new_handler(fail_without_memory);
  command::prepare_allocator();
  command::prepare_standard_streams();
  command::say_lost_mappings();
  try {
    command::command_line line = command::parse_command_line(count, arguments, command::all_verbs());
    if (const auto* const text = std::get_if<std::string>(&line)) {
      command::output out("");
      out << *text;
      out.close();
      return 0;
    }
    auto& typed = std::get<command::typed_options>(line);
    const bool has_found = typed.chosen->run(typed);
    return !has_found && typed.has("--exit-status") ? nothing_found : 0;
  } catch (const command::usage_error& error) {
    command::say(error.what());
    command::say("'neardup --help' lists the verbs, 'neardup VERB --help-all' all options of one");
  } catch (const command::reader_gone& error) {
    command::end_by_closed_pipe();
    command::say(error.what());
  } catch (const std::system_error& error) {
    const bool is_thread = error.code() == std::errc::resource_unavailable_try_again;
    command::say(error.what() + std::string(is_thread ? ": a thread cannot start; --threads N takes fewer" : ""));
  } catch (const std::exception& error) {
    command::say(error.what());
  }
  return failure;
}
