/* This header declares neardup for C, and for every language that calls C. The functions find near-duplicates among texts
 * and among feature sets, codes within k bits, and near-duplicates of documents that come one by one.
 *
 * Errors: Each function that can fail returns a neardup_status, and writes a message to its last argument, which may be
 * NULL. A function that fails has changed nothing, unless its comment says otherwise. No function throws an exception.
 * Options: A struct of zeros stands for the defaults. NULL also stands for the defaults where the type of an argument is a
 * pointer to neardup_composition, neardup_join, neardup_run, neardup_grouping or to a type named neardup_*_options.
 * NULL: An array of no elements may be NULL, and so may an argument whose comment says so. For any other NULL, a function
 * returns NEARDUP_INVALID and names the argument. A function without a status returns 0 or NULL for a NULL handle.
 * Memory: Each call that writes a handle to `result` makes the handle. The caller frees the handle with the function
 * neardup_*_free of its type, which accepts NULL. A pointer that a handle returns is valid until the handle changes.
 * Threads: Functions on different handles may run at the same time. Functions that take the same handle as const may also
 * run at the same time, while no thread changes the handle.
 * Texts: A text is UTF-8. Each maximal ill-formed subpart is read as U+FFFD. */
#ifndef NEARDUP_H
#define NEARDUP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Arrow's C data interface, copied from arrow.apache.org/docs/format/CDataInterface.html ------------------------ */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif

/* ---- Errors ------------------------------------------------------------------------------------------------------- */

typedef enum {
  NEARDUP_OK = 0,
  NEARDUP_INVALID,   /* an argument is not valid */
  NEARDUP_TOO_LARGE, /* the input exceeds a limit of the library or of the options */
  NEARDUP_NO_MEMORY,
  NEARDUP_FAILED,    /* a file, a log or a stream failed; the message names it */
  NEARDUP_CANCELLED, /* neardup_run.cancel was set */
  NEARDUP_UNKNOWN    /* an error occurred that the library does not know; please report it */
} neardup_status;

typedef struct {
  neardup_status status;
  char message[1024]; /* a string that ends with 0; empty after NEARDUP_OK */
} neardup_error;

/* Returns the version of the library, for instance "0.1.0". */
const char* neardup_version(void);

/* ---- Inputs ------------------------------------------------------------------------------------------------------- */

/* Settings of one call. Results do not depend on `threads`. */
typedef struct {
  size_t threads; /* the number of threads; 0: one for each processor */
  /* NULL, or a number that is 0. The call ends soon after another thread or a signal handler has changed the number. */
  const volatile int* cancel;
  /* NULL, or a function that any thread of the call runs from time to time, never two threads at once. `done`: the number
   * of texts that are done; `all`: the number of all texts, or 0 for a stream. A join of sets does not call `progress`. */
  void (*progress)(void* context, uint64_t done, uint64_t all);
  void* context; /* the first argument of `progress` */
} neardup_run;

/* A text of `size` bytes. If `data` is NULL, the text is a null, which is in no pair and is always kept. */
typedef struct {
  const char* data;
  size_t size;
} neardup_text;

/* Texts in one of three forms: `texts`, else `array` with its `schema`, else `stream`. Arrow's type of texts is string,
 * large_string, string_view, binary, large_binary, binary_view, a dictionary or a run-end encoding of these types, or
 * null. A struct of one column stands for that column, and a null struct is a null text. The call reads a stream to its
 * end, one array at a time. The caller releases the stream, the schema and the array. */
typedef struct {
  const neardup_text* texts;
  size_t size; /* the number of `texts` */
  const struct ArrowSchema* schema;
  const struct ArrowArray* array;
  struct ArrowArrayStream* stream;
} neardup_input;

/* A dictionary of Chinese words, for the features zh:words and zh:keywords. It never changes. */
typedef struct neardup_dictionary neardup_dictionary;

typedef struct {
  const char* words;      /* a file of lines "word frequency" like jieba's dict.txt, or a dictionary of the library */
  const char* user_words; /* NULL, or a file of further words in the form of a user dictionary of jieba */
  const char* model;      /* the folder of the model of unknown words; NULL: finalseg/ beside the file of words */
  int no_model;           /* if not 0, unknown words are cut into characters, as neardup --no-hmm does */
  const char* stop_words; /* NULL, or a file of words that are left out, one word in each line */
} neardup_dictionary_files;

/* Reads a dictionary. Returns NEARDUP_FAILED if a file cannot be read or is damaged; the message names file and line. */
neardup_status neardup_dictionary_load(const neardup_dictionary_files*, neardup_dictionary** result, neardup_error*);
void neardup_dictionary_free(neardup_dictionary*);
size_t neardup_dictionary_size(const neardup_dictionary*); /* the number of words */

/* The rules by which features are made of a text. */
typedef struct {
  const char* features; /* the kind, such as "chars:5", as in neardup --features; NULL: "words:2" */
  uint64_t seed;        /* the seed of the hash of features */
  /* NULL, or an array of strings that ends with NULL, as in neardup --same. Texts are near-duplicates only if they agree
   * in all numbers in digits ("numbers"), or in all words that a file lists, one in each line ("words:FILE"). */
  const char* const* same;
  const neardup_dictionary* dictionary; /* for zh:words and zh:keywords; else NULL. A call uses it only while it runs */
} neardup_composition;

/* Calls take(context, token, size) for each token of a text, until `take` returns a number other than 0. A null has no
 * tokens. */
neardup_status neardup_tokens(const neardup_composition*, neardup_text,
                              int (*take)(void* context, const char* token, size_t size), void* context,
                              neardup_error*);

/* ---- Feature sets ------------------------------------------------------------------------------------------------- */

/* Sets of features, numbered by position. Features have 32 or 64 bits. In each set, they are ascending and distinct. */
typedef struct neardup_sets neardup_sets;

/* Makes an empty collection of sets. `width`: the number of bits of a feature, 32 or 64. */
neardup_status neardup_sets_new(int width, neardup_sets** result, neardup_error*);
void neardup_sets_free(neardup_sets*);

/* Appends the features of texts. A null becomes a set without features. */
neardup_status neardup_sets_add_texts(neardup_sets*, const neardup_composition*, const neardup_input*,
                                      const neardup_run*, neardup_error*);
/* Appends `count` sets. Set i is features[offsets[i]] to features[offsets[i + 1] - 1], of type uint32_t or uint64_t by the
 * width. Returns NEARDUP_INVALID if the features of a set are not ascending and distinct. */
neardup_status neardup_sets_add(neardup_sets*, const void* features, const int64_t* offsets, size_t count,
                                neardup_error*);
/* Appends sets of Arrow's type list or large_list, of uint32 or uint64 by the width. A struct of one column stands for that
 * column. A null set has no features. Returns NEARDUP_INVALID if a feature is null, or if the input has `texts`. */
neardup_status neardup_sets_add_lists(neardup_sets*, const neardup_input*, neardup_error*);

int neardup_sets_width(const neardup_sets*);
size_t neardup_sets_size(const neardup_sets*);
size_t neardup_sets_nulls(const neardup_sets*); /* the number of nulls in the input */
const void* neardup_sets_features(const neardup_sets*);
const int64_t* neardup_sets_offsets(const neardup_sets*); /* an array of size + 1 elements */

/* ---- Joins of sets ------------------------------------------------------------------------------------------------ */

typedef enum { NEARDUP_JACCARD = 0, NEARDUP_COSINE, NEARDUP_CONTAINMENT } neardup_measure;

typedef struct {
  double similarity; /* the least similarity, above 0 and at most 1; 0 stands for 0.8 */
  neardup_measure measure;
  size_t min_common; /* the least overlap; 0: 8 for containment, else 1 */
  int copies_once;   /* if not 0, only the first of equal sets is paired with other sets */
} neardup_join;

/* Pairs of positions, in columns of equal length, sorted by (first, second). */
typedef struct neardup_pairs neardup_pairs;

void neardup_pairs_free(neardup_pairs*);
size_t neardup_pairs_size(const neardup_pairs*);
const uint32_t* neardup_pairs_first(const neardup_pairs*);
const uint32_t* neardup_pairs_second(const neardup_pairs*);
const uint32_t* neardup_pairs_common(const neardup_pairs*);   /* for sets, the overlap; else NULL */
const double* neardup_pairs_similarity(const neardup_pairs*); /* for sets and texts; else NULL */
const uint32_t* neardup_pairs_distance(const neardup_pairs*); /* for codes in bits; for texts in edits; else NULL */

/* Pairs in arrays of the caller, in any order, for instance a selection of the pairs that a join has returned.
 * `common`, `similarity` and `distance` are NULL if the pairs have no such column. */
typedef struct {
  const uint32_t* first;
  const uint32_t* second;
  const uint32_t* common;
  const double* similarity;
  const uint32_t* distance;
  size_t size;
} neardup_pair_view;

/* Copies pairs of the caller, in the same order. */
neardup_status neardup_pairs_new(const neardup_pair_view* pairs, neardup_pairs** result, neardup_error*);

/* Finds all pairs of sets that are similar enough; no pair is missed. If `others` is NULL, both sets of a pair are of the
 * first collection. Otherwise the second set is of `others`. */
neardup_status neardup_pairs_of_sets(const neardup_sets*, const neardup_sets* others, const neardup_join*,
                                     const neardup_run*, neardup_pairs** result, neardup_error*);

/* Returns the pairs (first[i], second[i]) that are similar enough, in the given order. If `others` is not NULL, second[i]
 * is a position in `others`. Returns NEARDUP_INVALID if a position does not exist. */
neardup_status neardup_verify(const neardup_sets*, const neardup_sets* others, const uint32_t* first,
                              const uint32_t* second, size_t count, const neardup_join*, const neardup_run*,
                              neardup_pairs** result, neardup_error*);

typedef struct {
  neardup_join join;        /* copies_once must be 0 */
  const double* preference; /* NULL, or a score for each set. Higher scores are kept first, equal scores by position */
  int components;           /* if not 0, groups are chains of similar sets, not sets around a representative */
  int keep_only;            /* if not 0, labels only show which sets are kept, which takes less time */
} neardup_grouping;

/* Writes a label for each set: the position of its representative. The label of a kept set is its own position. */
neardup_status neardup_group(const neardup_sets*, const neardup_grouping*, const neardup_run*, uint32_t* labels,
                             neardup_error*);
/* Groups further sets around the sets that earlier calls kept. Writes a label for each of `sets`, as neardup_group does.
 * Labels are positions in a sequence of all sets, in which `kept` come first, and then `sets`. */
neardup_status neardup_extend_groups(const neardup_sets* kept, const neardup_sets* sets, const neardup_grouping*,
                                     const neardup_run*, uint32_t* labels, neardup_error*);

/* Writes labels of `count` documents, as neardup_group does. `pairs`: all pairs of documents that match, each once, in any
 * order. Pairs of higher similarity are closer, or pairs of smaller distance if there are no similarities. The function
 * ignores `join` and `keep_only`. Returns NEARDUP_INVALID if a position does not exist. */
neardup_status neardup_group_pairs(const neardup_pair_view* pairs, size_t count, const neardup_grouping*,
                                   uint32_t* labels, neardup_error*);

/* ---- Joins of texts by their edit distance -------------------------------------------------------------------------- */

/* Normalised texts, numbered by position: in lower case, with one space between words. The similarity of two texts is
 * 1 - edit distance / number of characters of the longer text. A null, or a text without words, is similar to no text.
 * The functions below use `similarity` and `copies_once` of a neardup_join; its other members must be 0. */
typedef struct neardup_texts neardup_texts;

neardup_status neardup_texts_new(neardup_texts** result, neardup_error*);
void neardup_texts_free(neardup_texts*);
/* Appends texts. A call that fails may have appended some whole arrays, or a multiple of 65,536 of `texts`. */
neardup_status neardup_texts_add(neardup_texts*, const neardup_input*, const neardup_run*, neardup_error*);
/* Appends texts of another collection, by their positions. neardup_texts_nulls() does not count nulls among them. */
neardup_status neardup_texts_add_some(neardup_texts*, const neardup_texts* from, const uint32_t* positions,
                                      size_t count, neardup_error*);
size_t neardup_texts_size(const neardup_texts*);
size_t neardup_texts_nulls(const neardup_texts*);

/* Does for texts what neardup_pairs_of_sets does for sets. */
neardup_status neardup_pairs_of_texts(const neardup_texts*, const neardup_texts* others, const neardup_join*,
                                      const neardup_run*, neardup_pairs** result, neardup_error*);
/* Does for texts what neardup_verify does for sets. */
neardup_status neardup_verify_texts(const neardup_texts*, const neardup_texts* others, const uint32_t* first,
                                    const uint32_t* second, size_t count, const neardup_join*, const neardup_run*,
                                    neardup_pairs** result, neardup_error*);
/* Does for texts what neardup_group does for sets, on one thread. */
neardup_status neardup_group_texts(const neardup_texts*, const neardup_grouping*, const neardup_run*, uint32_t* labels,
                                   neardup_error*);
/* Does for texts what neardup_extend_groups does for sets, on one thread. */
neardup_status neardup_extend_groups_of_texts(const neardup_texts* kept, const neardup_texts*, const neardup_grouping*,
                                              const neardup_run*, uint32_t* labels, neardup_error*);

/* ---- Repeated passages ---------------------------------------------------------------------------------------------- */

/* A passage is a run of `length` words of a text, compared as they are written, or of bytes. A passage is repeated if it
 * also begins in an earlier text, or earlier in the same text. A null has no passages. */
typedef struct {
  size_t length;          /* 1 to 2^20; 0 stands for 50 */
  int bytes;              /* if not 0, a passage has bytes, not words */
  size_t least_documents; /* the least number of texts that have the passage; 0 stands for 1 */
  size_t earlier;         /* the number of texts, from the first, that are an earlier corpus, without results */
} neardup_passage_options;

/* Runs of text that repeated passages cover, each as long as possible, in the order of their places. */
typedef struct neardup_passages neardup_passages;

/* The columns of the runs: positions of texts, and places in the texts, in code points and in bytes. */
typedef enum {
  NEARDUP_PASSAGE_TEXT = 0,
  NEARDUP_PASSAGE_BEGIN,
  NEARDUP_PASSAGE_END,
  NEARDUP_PASSAGE_BEGIN_BYTE,
  NEARDUP_PASSAGE_END_BYTE,
  NEARDUP_PASSAGE_FIRST_TEXT, /* this column and the next four: the first place of the run */
  NEARDUP_PASSAGE_FIRST_BEGIN,
  NEARDUP_PASSAGE_FIRST_END,
  NEARDUP_PASSAGE_FIRST_BEGIN_BYTE,
  NEARDUP_PASSAGE_FIRST_END_BYTE
} neardup_passage_column;

/* Finds repeated passages. The place of a passage of bytes leaves out characters that the passage has only in part. */
neardup_status neardup_find_passages(const neardup_input*, const neardup_passage_options*, const neardup_run*,
                                     neardup_passages** result, neardup_error*);
void neardup_passages_free(neardup_passages*);
size_t neardup_passages_size(const neardup_passages*);
/* Returns NULL if there is no such column. */
const uint32_t* neardup_passages_column(const neardup_passages*, neardup_passage_column column);

/* Texts without their repeated passages. */
typedef struct neardup_cut_texts neardup_cut_texts;

/* Removes repeated passages from texts, each with the white space after it, as neardup unique --passages does. Words that
 * a passage of bytes has only in part stay. The texts of an earlier corpus stay as they are. Ill-formed bytes become
 * U+FFFD. */
neardup_status neardup_cut_passages(const neardup_input*, const neardup_passage_options*, const neardup_run*,
                                    neardup_cut_texts** result, neardup_error*);
void neardup_cut_texts_free(neardup_cut_texts*);
size_t neardup_cut_texts_size(const neardup_cut_texts*);
const char* neardup_cut_texts_data(const neardup_cut_texts*);       /* all texts, one after the other */
const int64_t* neardup_cut_texts_offsets(const neardup_cut_texts*); /* text i is [offsets[i], offsets[i + 1]) */
const uint8_t* neardup_cut_texts_valid(const neardup_cut_texts*);   /* 0 for a null */

/* ---- Codes: fingerprints of 32, 64, 128 or 256 bits ---------------------------------------------------------------- */

typedef enum { NEARDUP_SIMHASH = 0, NEARDUP_MINWISE } neardup_code_kind;

/* A table of inverse document frequencies. A rare feature has a higher weight. The table never changes. */
typedef struct neardup_idf neardup_idf;

/* Reads a file of lines "feature weight" in the form of jieba's idf.txt. */
neardup_status neardup_idf_load(const char* path, neardup_idf** result, neardup_error*);
/* Computes the weights ln(1 + N / df) from N texts, of which df have the feature. Nulls do not count as texts. */
neardup_status neardup_idf_learn(const neardup_composition*, const neardup_input*, const neardup_run*,
                                 neardup_idf** result, neardup_error*);
/* Writes a file for neardup_idf_load. Returns NEARDUP_FAILED if a feature begins or ends with white space. */
neardup_status neardup_idf_save(const neardup_idf*, const char* path, neardup_error*);
void neardup_idf_free(neardup_idf*);
size_t neardup_idf_size(const neardup_idf*); /* the number of features */

typedef struct {
  neardup_code_kind kind;
  int bits; /* 0 stands for 64 */
  /* The weights for NEARDUP_SIMHASH: "tf", "logtf", "idf", "tfidf", or "unit", which NULL stands for. "levels:N:W" and
   * "quantiles:N:W" give levels 1 to N, by the size or by the rank of another weight W. Without ":W", W is "tf". */
  const char* weights;
  const neardup_idf* idf; /* for "idf" and "tfidf"; else NULL */
} neardup_code_options;

/* Codes or nulls, numbered by position. A code has words of 64 bits, the lowest first. A code of 32 bits has one word. */
typedef struct neardup_codes neardup_codes;

neardup_status neardup_codes_of_texts(const neardup_composition*, const neardup_code_options*, const neardup_input*,
                                      const neardup_run*, neardup_codes** result, neardup_error*);
void neardup_codes_free(neardup_codes*);
size_t neardup_codes_size(const neardup_codes*);
size_t neardup_codes_nulls(const neardup_codes*); /* the number of nulls, and of texts without features */
const uint64_t* neardup_codes_words(const neardup_codes*);
const uint8_t* neardup_codes_valid(const neardup_codes*); /* 1, or 0 for a null */

/* An array of `size` codes of the caller, each of max(1, bits / 64) words. `valid`: NULL if there are no nulls. */
typedef struct {
  const uint64_t* words;
  const uint8_t* valid;
  size_t size;
  int bits;
} neardup_code_view;

/* Finds all pairs of codes within k bits. If `others` is NULL, both codes of a pair are of `codes`. Otherwise the second
 * code is of `others`. */
neardup_status neardup_near_pairs(const neardup_code_view* codes, const neardup_code_view* others, int k,
                                  int copies_once, const neardup_run*, neardup_pairs** result, neardup_error*);
/* Writes for each code the smallest position in its cluster. A cluster is a chain of codes with steps within k bits. */
neardup_status neardup_cluster(const neardup_code_view* codes, int k, const neardup_run*, uint32_t* labels,
                               neardup_error*);

/* ---- An index of codes ---------------------------------------------------------------------------------------------- */

/* An index of pairs of a code and an id. A search finds all pairs within k bits of a query. */
typedef struct neardup_index neardup_index;
/* Matches in columns of equal length. Matches of codes are sorted by query, distance, id and code. Matches of sets are
 * sorted by query, descending similarity and id. */
typedef struct neardup_matches neardup_matches;

/* Makes an empty index for searches within k bits. `blocks`: the number of blocks into which a code is cut. The number
 * decides memory and time; 0 stands for the default. */
neardup_status neardup_index_new(int bits, int k, int blocks, neardup_index** result, neardup_error*);
void neardup_index_free(neardup_index*);
/* Adds pairs that are not in the index yet and that have a code. A call that fails may have added some. */
neardup_status neardup_index_insert(neardup_index*, const neardup_code_view* codes, const uint64_t* ids,
                                    size_t* inserted, neardup_error*);
neardup_status neardup_index_erase(neardup_index*, const neardup_code_view* codes, const uint64_t* ids, size_t* erased,
                                   neardup_error*);
/* `k`: from 0 to the k of the index; -1 stands for the k of the index. */
neardup_status neardup_index_search(const neardup_index*, const neardup_code_view* queries, int k, const neardup_run*,
                                    neardup_matches** result, neardup_error*);
/* Writes a file. `made_of`: NULL, or a text that describes how codes are made. A crash leaves the old or the new file. */
neardup_status neardup_index_save(const neardup_index*, const char* path, const char* made_of, neardup_error*);
/* Opens a file. If `made_of` is not NULL, it must equal the text in the file. If `is_mapped` is not 0, the index stays in
 * the file, is ready at once, and cannot change. */
neardup_status neardup_index_load(const char* path, int bits, const char* made_of, int is_mapped,
                                  neardup_index** result, neardup_error*);

int neardup_index_bits(const neardup_index*);
int neardup_index_k(const neardup_index*);
size_t neardup_index_size(const neardup_index*); /* the number of pairs */

void neardup_matches_free(neardup_matches*);
size_t neardup_matches_size(const neardup_matches*);
const uint32_t* neardup_matches_query(const neardup_matches*);
const uint64_t* neardup_matches_id(const neardup_matches*);
const uint32_t* neardup_matches_distance(const neardup_matches*); /* for codes, in bits; else NULL */
const uint32_t* neardup_matches_common(const neardup_matches*);   /* for sets; else NULL */
const double* neardup_matches_similarity(const neardup_matches*); /* for sets; else NULL */

/* ---- An index of feature sets --------------------------------------------------------------------------------------- */

/* Feature sets in memory, one for each id. A search finds all sets that are similar enough to a query. */
typedef struct neardup_set_index neardup_set_index;

/* Makes an empty index. `width`: the number of bits of a feature, 32 or 64. The join gives the least similarity of
 * searches, the measure and the least overlap. */
neardup_status neardup_set_index_new(int width, const neardup_join*, neardup_set_index** result, neardup_error*);
void neardup_set_index_free(neardup_set_index*);
/* Adds set i of a collection under the id ids[i], unless the index has the id. A call that fails adds nothing. */
neardup_status neardup_set_index_insert(neardup_set_index*, const neardup_sets*, const uint64_t* ids,
                                        const neardup_run*, size_t* inserted, neardup_error*);
neardup_status neardup_set_index_erase(neardup_set_index*, const uint64_t* ids, size_t count, size_t* erased,
                                       neardup_error*);
/* `similarity`: not less than the similarity of the index; 0 stands for the similarity of the index. If `nearest_only` is
 * not 0, each query has at most one match: the most similar set. Of equally similar sets, the smallest id wins. */
neardup_status neardup_set_index_search(const neardup_set_index*, const neardup_sets* queries, double similarity,
                                        int nearest_only, const neardup_run*, neardup_matches** result, neardup_error*);
int neardup_set_index_contains(const neardup_set_index*, uint64_t id);
int neardup_set_index_width(const neardup_set_index*);
size_t neardup_set_index_size(const neardup_set_index*);   /* the number of ids */
size_t neardup_set_index_memory(const neardup_set_index*); /* bytes */

/* ---- Documents that come one by one, or in batches ----------------------------------------------------------------- */

/* A deduplicator, which keeps new documents. An added document is new, or a near-duplicate of a kept document. The
 * original of a near-duplicate is the most similar kept document, or the earliest of equally similar documents. */
typedef struct neardup_dedup neardup_dedup;

typedef struct {
  double similarity;      /* the least Jaccard similarity, at most 1; 0 stands for 0.8 */
  uint64_t max_documents; /* 0: no limit. The deduplicator forgets the oldest documents above a limit */
  uint64_t max_bytes;     /* the limit of memory, which holds after each call; 0: no limit */
  uint64_t max_age;       /* the limit of age, in the unit of `now`, which each addition then needs; 0: no limit */
  int duplicates_renew;   /* if not 0, a near-duplicate makes its original as young as itself */
  int refuse_when_full;   /* if not 0, additions return NEARDUP_TOO_LARGE, and no document is forgotten */
} neardup_dedup_options;

/* Arrays of the caller for verdicts, one for each document. */
typedef struct {
  uint8_t* is_new;
  uint64_t* original; /* the id of the original, if the document is not new */
  double* similarity; /* the similarity to the original; 0 if the document is new */
} neardup_verdicts;

neardup_status neardup_dedup_new(const neardup_composition*, const neardup_dedup_options*, neardup_dedup** result,
                                 neardup_error*);
/* Opens a deduplicator in a file and a log beside the file, or makes these files. Each call writes its changes to the disk
 * before it returns. Returns NEARDUP_INVALID if the file has another composition or similarity. */
neardup_status neardup_dedup_open(const char* path, const neardup_composition*, const neardup_dedup_options*,
                                  neardup_dedup** result, neardup_error*);
/* Loads a deduplicator into memory, from a file that neardup_dedup_save has written. Returns NEARDUP_FAILED if a log
 * beside the file has later changes. */
neardup_status neardup_dedup_load(const char* path, const neardup_composition*, const neardup_dedup_options*,
                                  neardup_dedup** result, neardup_error*);
void neardup_dedup_free(neardup_dedup*);

/* Decides about documents in order, and keeps the new documents. Nulls and texts without features are new and not kept.
 * `ids`: if NULL, the id of a document is the number of documents that were added before it. `now`: NULL, or the time of
 * the batch, which must not decrease. The input must not be a stream; its arrays can be added. A call adds documents in
 * pieces of 32,768, or of fewer documents under max_bytes. A call that fails at a piece has added the pieces before, and
 * has written their verdicts. neardup_dedup_added then counts their documents. A call with an invalid argument adds
 * nothing. */
neardup_status neardup_dedup_add(neardup_dedup*, const neardup_input*, const uint64_t* ids, const uint64_t* now,
                                 const neardup_run*, const neardup_verdicts*, neardup_error*);
/* Decides about documents as neardup_dedup_add does, by the documents that are kept so far, and adds nothing. */
neardup_status neardup_dedup_find(const neardup_dedup*, const neardup_input*, const neardup_run*,
                                  const neardup_verdicts*, neardup_error*);
/* Removes a kept document. *was_kept becomes 0 if there is no kept document of the id, else 1. */
neardup_status neardup_dedup_erase(neardup_dedup*, uint64_t id, int* was_kept, neardup_error*);
/* Writes the deduplicator to a file. If `path` is NULL, the file is the file of neardup_dedup_open, and its log becomes
 * empty. Refuses any other file that neardup_dedup_open has open. */
neardup_status neardup_dedup_save(neardup_dedup*, const char* path, neardup_error*);

size_t neardup_dedup_size(const neardup_dedup*);    /* the number of kept documents */
uint64_t neardup_dedup_added(const neardup_dedup*); /* the number of added documents, also near-duplicates and nulls */
int neardup_dedup_contains(const neardup_dedup*, uint64_t id);
size_t neardup_dedup_memory(const neardup_dedup*); /* an estimate in bytes */

/* ---- Joins as a shuffle, for corpora on many machines ---------------------------------------------------------------- */

/* A shuffle is a join in three steps. First, the caller merges the counts of all sets. Then scatters send each set to the
 * partitions of its rare features. At last, a gather joins each partition from the blobs that all scatters made for it.
 * The caller numbers the documents, and moves the bytes between the steps. */

/* Bytes that the library has made. */
typedef struct neardup_bytes neardup_bytes;
void neardup_bytes_free(neardup_bytes*);
const void* neardup_bytes_data(const neardup_bytes*);
size_t neardup_bytes_size(const neardup_bytes*);

/* Estimates of the number of sets that have a feature. An estimate is never too low. */
typedef struct neardup_counts neardup_counts;

/* `width`: the number of bits of a feature, 32 or 64; large corpora need 64. `features`: an estimate of the sum of the
 * sizes of all sets of the corpus. All counts that are merged need the same estimate. */
neardup_status neardup_counts_new(int width, uint64_t features, neardup_counts** result, neardup_error*);
void neardup_counts_free(neardup_counts*);
neardup_status neardup_counts_add(neardup_counts*, const neardup_sets*, neardup_error*);
neardup_status neardup_counts_merge(neardup_counts*, const neardup_counts* other, neardup_error*);
neardup_status neardup_counts_save(const neardup_counts*, neardup_bytes** result, neardup_error*);
/* Reads the bytes that neardup_counts_save has made. If `is_mapped` is not 0, the counts use the bytes of the caller, which
 * must stay until the counts are freed, and the counts cannot change. */
neardup_status neardup_counts_load(int width, const void* data, size_t size, int is_mapped, neardup_counts** result,
                                   neardup_error*);
uint64_t neardup_counts_counted(const neardup_counts*); /* the number of features that were added */

/* The data of a set that a shuffle moves, in addition to its rare features. */
typedef enum {
  NEARDUP_MOVE_SETS = 0, /* the whole set is moved, and a gather returns pairs */
  NEARDUP_MOVE_SKETCHES, /* 128 bits are moved, and a gather returns candidate pairs, most of which are pairs */
  NEARDUP_MOVE_IDS       /* no further data are moved, and a gather returns candidate pairs */
} neardup_payload;

/* Settings of a shuffle. All its steps need the same settings. A gather refuses blobs of other settings. */
typedef struct {
  neardup_join join;
  uint32_t partitions; /* 0 stands for 1 */
  neardup_payload payload;
  int all_counted;      /* if not 0, the counts have all sets, and features that occur once are left out */
  uint64_t second_from; /* the first document of a second corpus, if pairs have one document of each; 0: one corpus */
  uint64_t identity;    /* a number by which the caller identifies how the features were made */
} neardup_shuffle;

/* Sets that wait to be moved to their partitions. */
typedef struct neardup_scatter neardup_scatter;

/* The counts stay with the caller until the scatter is freed, and do not change. */
neardup_status neardup_scatter_new(const neardup_shuffle*, const neardup_counts*, neardup_scatter** result,
                                   neardup_error*);
void neardup_scatter_free(neardup_scatter*);
/* Adds set i of a collection as the set of document documents[i]. A call is best with thousands of sets. */
neardup_status neardup_scatter_add(neardup_scatter*, const uint64_t* documents, const neardup_sets*, neardup_error*);
size_t neardup_scatter_size(const neardup_scatter*); /* the number of bytes that wait */
/* Removes the sets that wait for a partition, and returns them as one blob. The blob is empty if no set waits. */
neardup_status neardup_scatter_take(neardup_scatter*, uint32_t partition, neardup_bytes** result, neardup_error*);

typedef struct {
  const void* data;
  size_t size;
} neardup_blob;

/* Pairs of documents in columns of equal length, first < second, sorted. */
typedef struct neardup_document_pairs neardup_document_pairs;

/* Joins a partition. With NEARDUP_MOVE_SETS, the results are pairs, each in one partition only. Otherwise the results are
 * candidate pairs, each in one partition or more. Returns NEARDUP_FAILED if a blob is damaged or of another shuffle. */
neardup_status neardup_gather(int width, const neardup_blob* blobs, size_t count, const neardup_shuffle*,
                              uint32_t partition, const neardup_run*, neardup_document_pairs** result, neardup_error*);
void neardup_document_pairs_free(neardup_document_pairs*);
size_t neardup_document_pairs_size(const neardup_document_pairs*);
const uint64_t* neardup_document_pairs_first(const neardup_document_pairs*);
const uint64_t* neardup_document_pairs_second(const neardup_document_pairs*);
const uint32_t* neardup_document_pairs_common(const neardup_document_pairs*);   /* NULL for candidates */
const double* neardup_document_pairs_similarity(const neardup_document_pairs*); /* NULL for candidates */

/* Compares set i of `a` with set i of `b`, for each i. Writes their overlap and similarity, or 0 for both if they are
 * not similar enough. */
neardup_status neardup_verify_sets(const neardup_sets* a, const neardup_sets* b, const neardup_join*, uint32_t* common,
                                   double* similarity, neardup_error*);

/* ---- Repeated passages, for corpora on many machines ----------------------------------------------------------------- */

/* The steps of neardup_find_passages for texts in parts. The steps hand each other blobs, one for each partition, which the
 * caller moves. A blob of 0 bytes need not be moved. A step gets the blobs of its partition in any order.
 *
 * 1. neardup_passage_scatter_anchors, for each part. 2. neardup_passage_repeated_anchors, for each partition.
 * 3. neardup_passage_scatter, for each part. 4. neardup_passage_gather, for each partition. 5. neardup_passage_join, for any
 * range of texts.
 *
 * A step returns NEARDUP_FAILED if a blob is damaged, given twice, or of another step, partition or other settings. */
typedef struct {
  neardup_passage_options passages;
  uint32_t partitions; /* 1 to 4,096; 0 stands for 1 */
} neardup_passage_shuffle;

/* A blob for each partition. */
typedef struct neardup_blobs neardup_blobs;
void neardup_blobs_free(neardup_blobs*);
const void* neardup_blobs_data(const neardup_blobs*, uint32_t partition);
size_t neardup_blobs_size(const neardup_blobs*, uint32_t partition);

neardup_status neardup_passage_scatter_anchors(const neardup_input*, const neardup_passage_shuffle*, const neardup_run*,
                                       neardup_blobs** result, neardup_error*);
neardup_status neardup_passage_repeated_anchors(const neardup_blob* blobs, size_t count, const neardup_passage_shuffle*,
                                        uint32_t partition, neardup_bytes** result, neardup_error*);
/* `first_text`: the number of texts in all earlier parts. `repeated`: the bytes that neardup_passage_repeated_anchors has
 * returned for all partitions, one after the other. They are copied unless their address is a multiple of 8, as in a mapped
 * file. */
neardup_status neardup_passage_scatter(const neardup_input*, uint64_t first_text, const void* repeated, size_t size,
                                        const neardup_passage_shuffle*, const neardup_run*, neardup_blobs** result,
                                        neardup_error*);

/* Returns passages. Of their columns, BEGIN, END, FIRST_BEGIN and FIRST_END count words or bytes, and columns of bytes are
 * NULL. TEXT and FIRST_TEXT are numbers of texts in all parts. */
neardup_status neardup_passage_gather(const neardup_blob* blobs, size_t count, const neardup_passage_shuffle*,
                                       uint32_t partition, neardup_passages** result, neardup_error*);

/* Places of passages. Each member is a column of neardup_passage_gather. */
typedef struct {
  const uint32_t* text;
  const uint32_t* begin;
  const uint32_t* end;
  const uint32_t* first_text;  /* for neardup_passage_join only, as first_begin */
  const uint32_t* first_begin;
  size_t size;
} neardup_passage_view;

/* Joins all passages that neardup_passage_gather returned for some texts. Returns the runs of neardup_find_passages, in
 * the same order. */
neardup_status neardup_passage_join(const neardup_passage_view*, const neardup_passage_shuffle*,
                                     neardup_passages** result, neardup_error*);
/* Returns each place in code points and in bytes, in the order of the view. The input has the texts of all places, and
 * begins with text `first_text`. The columns FIRST_… of the result are NULL. */
neardup_status neardup_passage_locate(const neardup_input*, uint64_t first_text, const neardup_passage_view*,
                                       const neardup_passage_shuffle*, neardup_passages** result, neardup_error*);
/* Returns the texts of a part without their passages, as neardup_cut_passages does for all texts. The view has all passages
 * of the part. */
neardup_status neardup_passage_cut(const neardup_input*, uint64_t first_text, const neardup_passage_view*,
                                  const neardup_passage_shuffle*, neardup_cut_texts** result, neardup_error*);

#ifdef __cplusplus
}
#endif

#endif
