// Finds and loads the files of a dictionary of words.
#pragma once

#include "features.hpp"

namespace command {

/// Loads the dictionary into `features` and `check_features`, if they need it. Without --dictionary, loads the
/// dictionary of an installed jieba, and prints its path on standard error unless `quiet`.
/// Throws: usage_error if no dictionary is found; input_error if a file is invalid. The message names the file and the
/// line.
void load_dictionary(const dictionary_files& files, feature_setting& features, feature_setting& check_features,
                     bool quiet);

}  // namespace command
