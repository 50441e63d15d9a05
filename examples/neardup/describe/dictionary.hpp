// Words by a dictionary: where its files are, and what they give.
#pragma once

#include "features.hpp"

namespace command {

/// Loads what these features need. Without --dictionary that of an installed jieba is taken, and named on standard error
/// unless `quiet`. Throws: usage_error if there is none; input_error, with file and line, if one is broken.
void load_dictionary(const dictionary_files& files, feature_setting& features, feature_setting& check_features,
                     bool quiet);

}  // namespace command
