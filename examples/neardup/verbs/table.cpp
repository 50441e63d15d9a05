#include "table.hpp"

#include <array>

namespace command {

// Each verb is defined in a file of the same name. The order is that of the list of verbs in the help.
extern const verb groups_verb, pairs_verb, unique_verb, hash_verb, tokens_verb, find_verb, index_verb, query_verb,
    verify_verb, features_verb, counts_verb, scatter_verb, gather_verb, manifest_verb, advise_verb, report_verb,
    diff_verb, passages_verb;

verb_table all_verbs() {
  static constexpr std::array verbs{&groups_verb,  &pairs_verb,  &unique_verb,  &passages_verb, &hash_verb,
                                    &tokens_verb,  &find_verb,   &index_verb,   &query_verb,    &verify_verb,
                                    &advise_verb,  &report_verb, &diff_verb,    &features_verb, &counts_verb,
                                    &scatter_verb, &gather_verb, &manifest_verb};
  return verbs;
}

}  // namespace command
