// Finds and loads the files of a dictionary for words.
#pragma once

#include "features.hpp"

namespace command {

/// Loads the dictionary for these features. Without --dictionary, loads the dictionary of an installed jieba, and
/// prints the path on standard error unless `quiet`.
/// Throws: usage_error if no dictionary is found; input_error, with file and line, if a file is invalid.
void load_dictionary(const dictionary_files& files, feature_setting& features, feature_setting& check_features,
                     bool quiet);

}  // namespace command
