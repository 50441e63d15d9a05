// neardup: finds near-duplicate documents. The first example program of the library of that name.
#include <bit>
#include <cstdlib>
#include <new>

#include "context.hpp"
#include "errors.hpp"
#include "help.hpp"
#include "options.hpp"
#include "output.hpp"
#include "platform.hpp"
#include "report.hpp"
#include "shard_files.hpp"

namespace {

constexpr int nothing_found = 1;
constexpr int failure = 2;

[[noreturn]] void fail_without_memory() {
  std::fputs("neardup: not enough memory\n", stderr);
  std::_Exit(failure);
}

/// How rare features are, of --idf-file. Throws: input_error.
std::shared_ptr<const neardup::idf_table> read_idf(const std::string& path) {
  return command::as_input([&] {
    auto table = std::make_shared<const neardup::idf_table>(neardup::idf_table::load(path));
    if (table->size() == 0) throw command::input_error({path, "there is no term in it"});
    return table;
  });
}

/// The same, learnt from the input.
std::shared_ptr<const neardup::idf_table> learn_idf(command::context& c) {
  neardup::idf_learner learner;
  with_tokenizer(c.settings.features, [&](const auto& tokenize) {
    for_each_text_before(c, "learning how rare the features are", [&](const command::placed_document& d) {
      const auto all_texts = [&](std::string_view, auto&& sink) {
        for (const std::string& text : *d.texts) tokenize(text, sink);
      };
      learner.add(all_texts, {});
    });
  });
  return std::make_shared<const neardup::idf_table>(learner.table());
}

/// Returns: whether something was found of what the verb looks for.
bool run(command::options settings) {
  if constexpr (std::endian::native != std::endian::little) {
    if (settings.has_index() || settings.combines_shards() || settings.keeps_features) {
      throw command::usage_error(
          "indexes, features and pairs in files are for machines that store the lowest byte first");
    }
  }
  if (settings.writes_file_at_end()) command::check_output(settings.output_file);
  if (settings.shard) command::check_features_output(settings.output_file);
  command::load_dictionary(settings);
  if (settings.compares() && !neardup::layout::is_valid(settings.bits, settings.distance, blocks_of(settings))) {
    throw command::usage_error("--blocks " + std::to_string(settings.blocks) + " with --distance " +
                               std::to_string(settings.distance) +
                               " needs more tables than an index may have; take fewer blocks");
  }
  if (!settings.idf_file.empty()) {
    settings.idf = read_idf(settings.idf_file);
    settings.met_term = std::make_shared<std::atomic<bool>>(false);
  }
  command::context c(settings);
  if (settings.choice && !settings.quiet) say_choice(settings);
  if (settings.learns_idf()) settings.idf = learn_idf(c);
  command::row_of(settings.action).run(c);
  return c.found_any;
}

}  // namespace

int main(int count, char** arguments) {
  std::set_new_handler(fail_without_memory);
  command::keep_freed_memory();
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
