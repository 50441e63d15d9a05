// `neardup report --passages`: writes the passages that occur several times as a page for a browser.
#include <string>
#include <utility>

#include "page.hpp"
#include "passage_listing.hpp"
#include "report_page_parts.hpp"

namespace command {

namespace {

/// Writes listed passages as data for the page. Each passage is in an HTML element of its own, like a group.
class passage_data final : public passage_writer {
 public:
  /// Makes a writer. `head`: the part of the page before the first passage. The head is written when the search has
  /// ended, so that a failed search writes no part of a page.
  passage_data(context& c, const document_table& names, bool are_bytes, std::size_t most, std::string head)
      : out_(c.out), places_(c, names, script_string), are_bytes_(are_bytes), most_(most), head_(std::move(head)) {}

  void write_head() { out_ << std::exchange(head_, {}); }

  void begin(const listed_passage& one, const std::string& bytes) override {
    write_head();
    is_shown_ = shown_ < most_;
    if (!is_shown_) return;
    ++shown_;
    further_ = 0;
    out_ << "<script type=\"application/json\" class=\"passage\">{\"length\":"
         << script_string(length_of(one, are_bytes_)) << ",\"documents\":" << std::to_string(one.documents)
         << ",\"text\":" << script_string(first_bytes(bytes, most_bytes));
    if (bytes.size() > most_bytes) out_ << ",\"cut\":true";
    out_ << ",\"first\":" << places_.json_of(one.first) << ",\"again\":[";
  }

  void again(const text_place& where) override {
    if (!is_shown_ || ++further_ > most_places) return;
    out_ << (further_ == 1 ? "" : ",") << places_.json_of(where);
  }

  void end() override {
    if (is_shown_) out_ << "],\"places\":" << std::to_string(further_) << "}</script>\n";
  }

  [[nodiscard]] std::size_t shown() const noexcept { return shown_; }

 private:
  static constexpr std::size_t most_bytes = 4000, most_places = 100;  // bytes and places of a passage on the page

  output& out_;
  place_names places_;
  bool are_bytes_, is_shown_ = false;
  std::size_t most_, shown_ = 0, further_ = 0;
  std::string head_;
};

}  // namespace

void write_passages_page(context& c, const passage_settings& how, std::size_t most) {
  const auto [head, behind_style] = split_page(passages_html, "{{style}}");
  const auto [before_run, behind_run] = split_page(behind_style, "{{run}}");
  const auto [before_data, behind_data] = split_page(behind_run, "{{passages}}");
  const auto [before_script, tail] = split_page(behind_data, "{{script}}");
  const std::string unit = how.are_bytes ? "bytes" : "words";
  const std::string length = counted(how.length, how.are_bytes ? "byte" : "word", unit.c_str());
  const std::string documents =
      how.least_documents > 1 ? ", and occurs in " + grouped(how.least_documents) + " documents or more" : "";
  std::string page(head);
  page.append(report_css).append(before_run);
  page += html_text("A passage is a run of " + length + " or more that also occurs earlier" + documents + ". Written " +
                    time_text() + '.');
  page += before_data;
  document_table names(false);
  passage_data data(c, names, how.are_bytes, most, std::move(page));
  const passage_totals totals = list_passages(c, how, names, data);
  data.write_head();
  c.out << "<script type=\"application/json\" id=\"totals\">{\"passages\":" << std::to_string(totals.passages)
        << ",\"places\":" << std::to_string(totals.places) << ",\"unit\":" << script_string(unit)
        << ",\"longest\":" << std::to_string(totals.longest)
        << ",\"repeated\":" << std::to_string(totals.repeated_bytes) << ",\"bytes\":" << std::to_string(totals.bytes)
        << "}</script>\n"
        << before_script << report_common_js << passages_js << tail;
  finish_passages(c, totals);
  if (!c.settings.output.quiet && data.shown() < totals.passages) {
    say("the page has the " + counted(data.shown(), "longest passage", "longest passages") + " of " +
        grouped(totals.passages));
  } else {
    say_if_large(c, "longest passages");
  }
}

}  // namespace command
