#include "mapping.hpp"

#include <stdexcept>
#include <utility>

namespace docid {

namespace {

sql_value value_of(const std::optional<fingerprint>& print) {
  return print ? sql_value(print->to_uint64()) : sql_value(nullptr);
}

}  // namespace

feature_set sql_row::features(std::size_t column) const {
  const std::string_view bytes = text(column);
  feature_set result;
  result.reserve(bytes.size() / sizeof(std::uint32_t));
  for (std::size_t i = 0; i + sizeof(std::uint32_t) <= bytes.size(); i += sizeof(std::uint32_t)) {
    std::uint32_t feature = 0;
    for (int b = 0; b < 4; ++b) {
      const auto byte = static_cast<unsigned char>(bytes[i + static_cast<std::size_t>(b)]);
      feature |= std::uint32_t{byte} << 8 * (order_ == std::endian::little ? b : 3 - b);
    }
    result.push_back(feature);
  }
  return result;
}

std::optional<known_article> mapping::find_article(const char* sql, sql_values values) {
  std::optional<known_article> found;
  rows_.read(sql, values, [&](const sql_row& row) {
    if (!found) found = known_article{std::string(row.text(0)), std::string(row.text(1)), stored_in(row, 2)};
  });
  return found;
}

std::vector<std::string> mapping::nids_of(doc_number document, std::size_t most) {
  std::vector<std::string> result;
  rows_.read("SELECT nid FROM article WHERE document = ? ORDER BY number LIMIT ?", {document, most},
             [&](const sql_row& row) { result.emplace_back(row.text(0)); });
  return result;
}

std::vector<known_article> mapping::articles_of(doc_number document) {
  std::vector<known_article> result;
  rows_.read("SELECT nid, url, heat, version, digest FROM article WHERE document = ? ORDER BY number", {document},
             [&](const sql_row& row) {
               result.push_back({std::string(row.text(0)), std::string(row.text(1)), stored_in(row, 2)});
             });
  return result;
}

known_article mapping::first_of(doc_number document) {
  auto found = find_article(
      "SELECT nid, url, heat, version, digest FROM article WHERE document = ? ORDER BY number LIMIT 1", {document});
  if (!found) throw std::runtime_error("the store has no article of document " + std::to_string(document));
  return *std::move(found);
}

std::optional<known_article> mapping::article_of(doc_number document, std::string_view nid) {
  for (known_article& one : articles_of(document)) {
    if (one.nid == nid) return std::move(one);
  }
  return std::nullopt;
}

known_article mapping::hottest_of(doc_number document) {
  std::vector<known_article> all = articles_of(document);
  std::size_t best = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double heat = all[i].stored.heat, most = all[best].stored.heat;
    if (heat > most || (heat == most && all[i].url == all[best].url)) best = i;
  }
  return std::move(all.at(best));
}

void mapping::add_features(doc_number document, const definition& defined) {
  rows_.insert("features(document, title, content)", "?, ?, ?",
               {document, defined.title.features, defined.content.features});
}

void mapping::add_document(doc_number document, const definition& defined, const kept_article& kept) {
  rows_.insert("document(number, name, title, content, heat, version)", "?, ?, ?, ?, ?, ?",
               {document, defined.name, value_of(defined.title.print), value_of(defined.content.print), kept.heat,
                kept.version});
  add_features(document, defined);
  summaries_[document] = summary{defined.name, kept};
  state_.next = document + 1;
  ++state_.documents;
}

void mapping::set_kept(doc_number document, const kept_article& kept) {
  rows_.run("UPDATE document SET heat = ?, version = ? WHERE number = ?", {kept.heat, kept.version, document});
  summaries_.erase(document);
}

void mapping::redefine(doc_number document, const definition& old, const definition& defined,
                       const feature_set& pairs) {
  rows_.insert("redefinition(number, document, title, content)", "?, ?, ?, ?",
               {++state_.redefinitions, document, value_of(old.title.print), value_of(old.content.print)});
  rows_.run("UPDATE document SET title = ?, content = ? WHERE number = ?",
            {value_of(defined.title.print), value_of(defined.content.print), document});
  rows_.run("DELETE FROM features WHERE document = ?", {document});
  rows_.run("DELETE FROM pairs WHERE document = ?", {document});
  add_features(document, defined);
  add_pairs(document, pairs);
}

void mapping::for_each_redefinition(std::uint64_t after, const redefinition_visitor& visit) {
  rows_.read("SELECT document, title, content FROM redefinition WHERE number > ? ORDER BY number", {after},
             [&](const sql_row& row) { visit(row.document(0), row.print(1), row.print(2)); });
}

void mapping::erase_document(doc_number document) {
  rows_.run("DELETE FROM document WHERE number = ?", {document});
  rows_.run("DELETE FROM features WHERE document = ?", {document});
  rows_.run("DELETE FROM pairs WHERE document = ?", {document});
  summaries_.erase(document);
  --state_.documents;
}

void mapping::add_pairs(doc_number document, const feature_set& pairs) {
  rows_.insert("pairs(document, content)", "?, ?", {document, pairs});
}

std::optional<mapping::summary> mapping::summary_of(doc_number document) {
  if (const auto found = summaries_.find(document); found != summaries_.end()) return found->second;
  std::optional<summary> result;
  rows_.read("SELECT name, heat, version FROM document WHERE number = ?", {document}, [&](const sql_row& row) {
    result = summary{std::string(row.text(0)), {row.real(1), row.number(2)}};
  });
  if (is_open_) summaries_[document] = result;
  return result;
}

std::optional<std::string> mapping::name_of(doc_number document) {
  const auto found = summary_of(document);
  return found ? std::optional(found->name) : std::nullopt;
}

std::optional<kept_article> mapping::kept_of(doc_number document) {
  const auto found = summary_of(document);
  return found ? std::optional(found->kept) : std::nullopt;
}

std::optional<definition> mapping::definition_of(doc_number document) {
  std::optional<definition> result;
  rows_.read(
      "SELECT d.name, d.title, d.content, f.title, f.content FROM document d"
      " LEFT JOIN features f ON f.document = d.number WHERE d.number = ?",
      {document}, [&](const sql_row& row) {
        result = definition{std::string(row.text(0)), {row.print(1), row.features(3)}, {row.print(2), row.features(4)}};
      });
  return result;
}

std::optional<feature_set> mapping::pairs_of(doc_number document) {
  std::optional<feature_set> result;
  rows_.read("SELECT content FROM pairs WHERE document = ?", {document},
             [&](const sql_row& row) { result = row.features(0); });
  return result;
}

void mapping::for_each_document(doc_number after, const document_visitor& visit) {
  constexpr std::uint64_t together = 100000;  // a database may hold the whole answer in memory
  for (std::uint64_t last = after; last + 1 < state_.next; last += together) {
    rows_.read("SELECT number, title, content FROM document WHERE number > ? AND number <= ? ORDER BY number",
               {last, last + together},
               [&](const sql_row& row) { visit(row.document(0), row.print(1), row.print(2)); });
  }
}

std::vector<document_features> mapping::features_after(doc_number after, std::size_t most) {
  std::vector<document_features> result;
  rows_.read("SELECT document, title, content FROM features WHERE document > ? ORDER BY document LIMIT ?",
             {after, most}, [&](const sql_row& row) {
               result.push_back({row.document(0), row.features(1), row.features(2)});
             });
  return result;
}

std::vector<doc_number> mapping::documents_after(doc_number after, std::size_t most) {
  std::vector<doc_number> result;
  rows_.read("SELECT number FROM document WHERE number > ? ORDER BY number LIMIT ?", {after, most},
             [&](const sql_row& row) { result.push_back(row.document(0)); });
  return result;
}

}  // namespace docid
