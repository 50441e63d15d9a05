/* neardup for C, and for every language that calls C: near-duplicates of texts and of feature sets, codes within k bits,
 * and documents that come one by one.
 *
 * Errors: each function that can fail returns a neardup_status, and writes a message to its last argument, which may be
 * NULL. A function that fails has changed nothing, unless its comment says otherwise. No exception leaves the library,
 * and there is no global state.
 * Options: a struct of zeros has the defaults, and so has NULL for a pointer to a neardup_composition, neardup_join,
 * neardup_grouping, neardup_code_options, neardup_dedup_options, neardup_passage_options or neardup_run.
 * NULL: an array of no elements may be NULL, and so may an argument whose comment says so. Any other NULL is
 * NEARDUP_INVALID, and the message names the argument. Functions without a status return 0 or NULL for a NULL handle.
 * Memory: each neardup_*_new and each join makes a handle that the caller frees with neardup_*_free, which accepts NULL.
 * Pointers that a handle returns are valid until it is changed or freed.
 * Threads: functions on different handles may run at the same time. Functions that take a handle as const may, too,
 * while no thread changes it.
 * Texts: UTF-8. Each maximal ill-formed subpart reads as U+FFFD. */
#ifndef NEARDUP_H
#define NEARDUP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Arrow's C data interface, as its specification gives it: arrow.apache.org/docs/format/CDataInterface.html ---- */

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
  NEARDUP_INVALID,   /* an argument to which every answer would be wrong */
  NEARDUP_TOO_LARGE, /* more than the library can number */
  NEARDUP_NO_MEMORY,
  NEARDUP_FAILED,    /* a file, a log or a stream: the message names it */
  NEARDUP_CANCELLED, /* neardup_run.cancel was set */
  NEARDUP_UNKNOWN    /* an error that the library does not know: please report it */
} neardup_status;

typedef struct {
  neardup_status status;
  char message[1024]; /* ends with 0; empty after NEARDUP_OK */
} neardup_error;

/* "0.1.0" */
const char* neardup_version(void);

/* ---- What goes in ------------------------------------------------------------------------------------------------- */

/* How a call runs. Results do not depend on `threads`. */
typedef struct {
  size_t threads; /* 0: as many as the machine has */
  /* If not NULL: a number that another thread, or a signal handler, sets to anything but 0 to end the call soon. */
  const volatile int* cancel;
  /* If not NULL: called from time to time with the number of texts that are done, and the number of all texts, which is
   * 0 for a stream. By any thread, never twice at once. A join of sets has no such number, and does not call it. */
  void (*progress)(void* context, uint64_t done, uint64_t all);
  void* context; /* first argument of `progress` */
} neardup_run;

/* A text of `size` bytes. If `data` is NULL, the text is a null, which is in no pair and is always kept. */
typedef struct {
  const char* data;
  size_t size;
} neardup_text;

/* Texts in one of three forms: `texts`, else `array` with its `schema`, else `stream`. Texts of Arrow are of type
 * string, large_string, string_view, binary, large_binary or binary_view, dictionaries of these, these run-end-encoded,
 * or null; a struct of one column stands for that column, and a null of either is a null. A stream is read to its end,
 * one array at a time; the caller releases it, and the schema and the array. */
typedef struct {
  const neardup_text* texts;
  size_t size; /* number of `texts` */
  const struct ArrowSchema* schema;
  const struct ArrowArray* array;
  struct ArrowArrayStream* stream;
} neardup_input;

/* A dictionary of Chinese words, for the features zh:words and zh:keywords. It never changes. */
typedef struct neardup_dictionary neardup_dictionary;

typedef struct {
  const char* words;      /* a file of lines "word frequency", as jieba's dict.txt, or one that the library has saved */
  const char* user_words; /* NULL, or a file of further words, as a user dictionary of jieba */
  const char* model;      /* the folder of the model of unknown words; NULL: finalseg/ beside the file of words */
  int no_model;           /* unknown words are cut into characters, as neardup --no-hmm */
  const char* stop_words; /* NULL, or a file of words that are left out, one a line */
} neardup_dictionary_files;

/* Reads a dictionary. NEARDUP_FAILED, with the file and the line, if a file cannot be read or is damaged. */
neardup_status neardup_dictionary_load(const neardup_dictionary_files*, neardup_dictionary** result, neardup_error*);
void neardup_dictionary_free(neardup_dictionary*);
size_t neardup_dictionary_size(const neardup_dictionary*); /* number of words */

/* What features are made of. */
typedef struct {
  const char* features; /* "words:2" if NULL; "chars:5", "bytes:8", "code:4", ..., as neardup --features */
  uint64_t seed;        /* seed of the hash of features */
  /* NULL, or strings that end with NULL: what near-duplicates must have the same of, as neardup --same. "numbers": all
   * that is written in digits; "words:FILE": the words in a file, one a line. */
  const char* const* same;
  const neardup_dictionary* dictionary; /* for zh:words and zh:keywords; else NULL. Needed only while a call runs */
} neardup_composition;

/* Calls take(context, token, size) for each token of a text, until it returns something else than 0. A null has no
 * tokens. */
neardup_status neardup_tokens(const neardup_composition*, neardup_text,
                              int (*take)(void* context, const char* token, size_t size), void* context,
                              neardup_error*);

/* ---- Feature sets ------------------------------------------------------------------------------------------------- */

/* Sets of features, numbered by position. Features have 32 or 64 bits; in each set they ascend, each once. */
typedef struct neardup_sets neardup_sets;

/* An empty collection. `width`: the bits of a feature, 32 or 64. */
neardup_status neardup_sets_new(int width, neardup_sets** result, neardup_error*);
void neardup_sets_free(neardup_sets*);

/* Appends the features of texts. A null becomes a set without features. */
neardup_status neardup_sets_add_texts(neardup_sets*, const neardup_composition*, const neardup_input*,
                                      const neardup_run*, neardup_error*);
/* Appends `count` sets: set i is features[offsets[i]] to features[offsets[i + 1] - 1], uint32_t or uint64_t by the
 * width. NEARDUP_INVALID unless each is ascending and distinct. */
neardup_status neardup_sets_add(neardup_sets*, const void* features, const int64_t* offsets, size_t count,
                                neardup_error*);
/* Appends sets of Arrow's type list or large_list, of uint32 or uint64 by the width; a struct of one column stands for that
 * column. A null becomes a set without features. NEARDUP_INVALID if a feature is null. The input must have no `texts`. */
neardup_status neardup_sets_add_lists(neardup_sets*, const neardup_input*, neardup_error*);

int neardup_sets_width(const neardup_sets*);
size_t neardup_sets_size(const neardup_sets*);
size_t neardup_sets_nulls(const neardup_sets*); /* number of nulls in the input */
const void* neardup_sets_features(const neardup_sets*);
const int64_t* neardup_sets_offsets(const neardup_sets*); /* array of size + 1 elements */

/* ---- Joins of sets ------------------------------------------------------------------------------------------------ */

typedef enum { NEARDUP_JACCARD = 0, NEARDUP_COSINE, NEARDUP_CONTAINMENT } neardup_measure;

typedef struct {
  double similarity; /* the least similarity, above 0 and at most 1; 0 stands for 0.8 */
  neardup_measure measure;
  size_t min_common; /* the least overlap; 0: 8 for containment, else 1 */
  int copies_once;   /* of equal sets, only the first is paired with other sets */
} neardup_join;

/* Pairs of positions, in columns of equal length, sorted by (first, second). */
typedef struct neardup_pairs neardup_pairs;

void neardup_pairs_free(neardup_pairs*);
size_t neardup_pairs_size(const neardup_pairs*);
const uint32_t* neardup_pairs_first(const neardup_pairs*);
const uint32_t* neardup_pairs_second(const neardup_pairs*);
const uint32_t* neardup_pairs_common(const neardup_pairs*);   /* the overlap of sets; else NULL */
const double* neardup_pairs_similarity(const neardup_pairs*); /* for sets and texts; else NULL */
const uint32_t* neardup_pairs_distance(const neardup_pairs*); /* for codes in bits, for texts in edits; else NULL */

/* Pairs of a caller, in this order, for instance the part of another join's pairs that a question asks for. `common`,
 * `similarity` and `distance`: NULL if there is no such column. */
typedef struct {
  const uint32_t* first;
  const uint32_t* second;
  const uint32_t* common;
  const double* similarity;
  const uint32_t* distance;
  size_t size;
} neardup_pair_view;

neardup_status neardup_pairs_new(const neardup_pair_view* pairs, neardup_pairs** result, neardup_error*);

/* All pairs of sets that are similar enough: none is missed. With `others`, each pair is a set and one of `others`, which
 * is NULL for a join of one collection. */
neardup_status neardup_pairs_of_sets(const neardup_sets*, const neardup_sets* others, const neardup_join*,
                                     const neardup_run*, neardup_pairs** result, neardup_error*);

/* Keeps those of `count` given pairs that are similar enough, in the given order. If `others` is not NULL, second[i] is a
 * position in it. NEARDUP_INVALID if a position does not exist. */
neardup_status neardup_verify(const neardup_sets*, const neardup_sets* others, const uint32_t* first,
                              const uint32_t* second, size_t count, const neardup_join*, const neardup_run*,
                              neardup_pairs** result, neardup_error*);

typedef struct {
  neardup_join join;        /* without copies_once */
  const double* preference; /* NULL, or a score for each set: higher ones are kept first, equal ones by position */
  int components;           /* groups are chains of similar sets, not sets around a representative */
  int keep_only;            /* labels only say which sets are kept, which takes less time */
} neardup_grouping;

/* Writes for each set the position of its representative; a kept set has its own position. */
neardup_status neardup_group(const neardup_sets*, const neardup_grouping*, const neardup_run*, uint32_t* labels,
                             neardup_error*);
/* Groups further sets around the sets that earlier calls kept. Positions count `kept` first, then `sets`. Writes a label
 * for each of `sets`, its own position if it becomes a representative. */
neardup_status neardup_extend_groups(const neardup_sets* kept, const neardup_sets* sets, const neardup_grouping*,
                                     const neardup_run*, uint32_t* labels, neardup_error*);

/* Writes for each of `count` documents the position of its representative, as neardup_group does, from the pairs of
 * documents that match: all of them, each once, in any order. Pairs of a higher similarity are closer, without similarities
 * pairs of a smaller distance. `join` and `keep_only` do not matter. NEARDUP_INVALID if a position does not exist. */
neardup_status neardup_group_pairs(const neardup_pair_view* pairs, size_t count, const neardup_grouping*,
                                   uint32_t* labels, neardup_error*);

/* ---- Joins of texts by their edit distance -------------------------------------------------------------------------- */

/* Normalised texts, numbered by position: folded to lower case, everything between two words one space. Their similarity
 * is 1 - edit distance / characters of the longer text. A null, or a text without words, is similar to no text. In
 * neardup_join the functions below take `similarity` and `copies_once`; the other members are 0. */
typedef struct neardup_texts neardup_texts;

neardup_status neardup_texts_new(neardup_texts** result, neardup_error*);
void neardup_texts_free(neardup_texts*);
/* Appends texts. A call that fails may have appended some: those of whole arrays, and of `texts` in steps of 65,536. */
neardup_status neardup_texts_add(neardup_texts*, const neardup_input*, const neardup_run*, neardup_error*);
/* Appends the texts of another collection at these positions. A null stays a null, but is not counted again. */
neardup_status neardup_texts_add_some(neardup_texts*, const neardup_texts* from, const uint32_t* positions,
                                      size_t count, neardup_error*);
size_t neardup_texts_size(const neardup_texts*);
size_t neardup_texts_nulls(const neardup_texts*);

/* As neardup_pairs_of_sets. */
neardup_status neardup_pairs_of_texts(const neardup_texts*, const neardup_texts* others, const neardup_join*,
                                      const neardup_run*, neardup_pairs** result, neardup_error*);
/* As neardup_verify. */
neardup_status neardup_verify_texts(const neardup_texts*, const neardup_texts* others, const uint32_t* first,
                                    const uint32_t* second, size_t count, const neardup_join*, const neardup_run*,
                                    neardup_pairs** result, neardup_error*);
/* As neardup_group, on one thread. */
neardup_status neardup_group_texts(const neardup_texts*, const neardup_grouping*, const neardup_run*, uint32_t* labels,
                                   neardup_error*);
/* As neardup_extend_groups, on one thread. */
neardup_status neardup_extend_groups_of_texts(const neardup_texts* kept, const neardup_texts*, const neardup_grouping*,
                                              const neardup_run*, uint32_t* labels, neardup_error*);

/* ---- Repeated passages ---------------------------------------------------------------------------------------------- */

/* A passage is `length` consecutive words of a text, compared as they are written, or bytes. It is repeated if it also
 * began earlier: in an earlier text, or earlier in the same one. A null has no passages. */
typedef struct {
  size_t length;          /* 1 to 2^20; 0: 50 */
  int bytes;              /* if not 0, a passage has bytes, not words */
  size_t least_documents; /* the least number of texts that have the passage; 0: 1 */
  size_t earlier;         /* the first texts are an earlier corpus, without results of their own */
} neardup_passage_options;

/* Runs of repeated passages, each as long as possible, in the order of their places. */
typedef struct neardup_passages neardup_passages;

/* The columns: positions of texts, and the places in them, in code points and in bytes. */
typedef enum {
  NEARDUP_PASSAGE_TEXT = 0,
  NEARDUP_PASSAGE_BEGIN,
  NEARDUP_PASSAGE_END,
  NEARDUP_PASSAGE_BEGIN_BYTE,
  NEARDUP_PASSAGE_END_BYTE,
  NEARDUP_PASSAGE_FIRST_TEXT, /* where it stood first */
  NEARDUP_PASSAGE_FIRST_BEGIN,
  NEARDUP_PASSAGE_FIRST_END,
  NEARDUP_PASSAGE_FIRST_BEGIN_BYTE,
  NEARDUP_PASSAGE_FIRST_END_BYTE
} neardup_passage_column;

/* Finds passages. Of passages of bytes, the places leave out the characters that a passage has only in part. */
neardup_status neardup_find_passages(const neardup_input*, const neardup_passage_options*, const neardup_run*,
                                     neardup_passages** result, neardup_error*);
void neardup_passages_free(neardup_passages*);
size_t neardup_passages_size(const neardup_passages*);
/* NULL for what is no column. */
const uint32_t* neardup_passages_column(const neardup_passages*, neardup_passage_column column);

/* Texts without their repeated passages. */
typedef struct neardup_cut_texts neardup_cut_texts;

/* Takes repeated passages out of texts, each with the white space behind it, as neardup unique --passages. Passages of
 * bytes leave words of which they have only a part. The texts of an earlier corpus stay as they are. What is ill-formed
 * becomes U+FFFD. */
neardup_status neardup_cut_passages(const neardup_input*, const neardup_passage_options*, const neardup_run*,
                                    neardup_cut_texts** result, neardup_error*);
void neardup_cut_texts_free(neardup_cut_texts*);
size_t neardup_cut_texts_size(const neardup_cut_texts*);
const char* neardup_cut_texts_data(const neardup_cut_texts*);       /* all texts, one behind the other */
const int64_t* neardup_cut_texts_offsets(const neardup_cut_texts*); /* text i is [offsets[i], offsets[i + 1]) */
const uint8_t* neardup_cut_texts_valid(const neardup_cut_texts*);   /* 0 for a null */

/* ---- Codes: fingerprints of 32, 64, 128 or 256 bits ---------------------------------------------------------------- */

typedef enum { NEARDUP_SIMHASH = 0, NEARDUP_MINWISE } neardup_code_kind;

/* Inverse document frequencies: a weight for each feature, the higher the rarer it is. It never changes. */
typedef struct neardup_idf neardup_idf;

/* Reads a file of lines "feature weight", as jieba's idf.txt. */
neardup_status neardup_idf_load(const char* path, neardup_idf** result, neardup_error*);
/* Learns the weights ln(1 + N / df) from N texts, of which df have a feature. Nulls are no texts. */
neardup_status neardup_idf_learn(const neardup_composition*, const neardup_input*, const neardup_run*,
                                 neardup_idf** result, neardup_error*);
/* Writes a file that neardup_idf_load reads. NEARDUP_FAILED if a feature begins or ends with white space. */
neardup_status neardup_idf_save(const neardup_idf*, const char* path, neardup_error*);
void neardup_idf_free(neardup_idf*);
size_t neardup_idf_size(const neardup_idf*); /* number of features */

typedef struct {
  neardup_code_kind kind;
  int bits; /* 0 stands for 64 */
  /* Of simhash: "unit" if NULL; "tf", "logtf", "idf", "tfidf", and levels 1 to N of another weight W than "unit":
   * "levels:N:W" by its size, "quantiles:N:W" by its rank. Without ":W" they are of "tf". */
  const char* weights;
  const neardup_idf* idf; /* for idf and tfidf; else NULL */
} neardup_code_options;

/* Codes, numbered by position: each in words of 64 bits, the lowest first (32 bits take a word, too), or null. */
typedef struct neardup_codes neardup_codes;

neardup_status neardup_codes_of_texts(const neardup_composition*, const neardup_code_options*, const neardup_input*,
                                      const neardup_run*, neardup_codes** result, neardup_error*);
void neardup_codes_free(neardup_codes*);
size_t neardup_codes_size(const neardup_codes*);
size_t neardup_codes_nulls(const neardup_codes*); /* nulls of the input, and texts without features */
const uint64_t* neardup_codes_words(const neardup_codes*);
const uint8_t* neardup_codes_valid(const neardup_codes*); /* 1, or 0 for a null */

/* Codes of a caller: `size` of them, each of max(1, bits / 64) words. `valid`: NULL if there are no nulls. */
typedef struct {
  const uint64_t* words;
  const uint8_t* valid;
  size_t size;
  int bits;
} neardup_code_view;

/* All pairs of codes within k bits. With `others`, each pair is a code and one of `others`, which is NULL for a join of one
 * collection. */
neardup_status neardup_near_pairs(const neardup_code_view* codes, const neardup_code_view* others, int k,
                                  int copies_once, const neardup_run*, neardup_pairs** result, neardup_error*);
/* Writes for each code the smallest position of its cluster: chains of steps of at most k bits. */
neardup_status neardup_cluster(const neardup_code_view* codes, int k, const neardup_run*, uint32_t* labels,
                               neardup_error*);

/* ---- An index of codes ---------------------------------------------------------------------------------------------- */

/* An index of pairs of a code and an id: a search finds all pairs within k bits of a query. */
typedef struct neardup_index neardup_index;
/* Matches in columns of equal length: of codes sorted by query, distance, id and code, of sets by query, descending
 * similarity and id. */
typedef struct neardup_matches neardup_matches;

/* An empty index for searches within k bits. `blocks`: the number of blocks into which a code is cut, which decides
 * memory and time; 0: the usual number. */
neardup_status neardup_index_new(int bits, int k, int blocks, neardup_index** result, neardup_error*);
void neardup_index_free(neardup_index*);
/* Adds pairs, except pairs that are in the index and pairs without a code. A call that fails may have added some. */
neardup_status neardup_index_insert(neardup_index*, const neardup_code_view* codes, const uint64_t* ids,
                                    size_t* inserted, neardup_error*);
neardup_status neardup_index_erase(neardup_index*, const neardup_code_view* codes, const uint64_t* ids, size_t* erased,
                                   neardup_error*);
/* `k`: from 0 to the k of the index; -1 stands for that. */
neardup_status neardup_index_search(const neardup_index*, const neardup_code_view* queries, int k, const neardup_run*,
                                    neardup_matches** result, neardup_error*);
/* Writes a file, with any text that tells what its codes are made of, or NULL. A crash leaves the old file or the new. */
neardup_status neardup_index_save(const neardup_index*, const char* path, const char* made_of, neardup_error*);
/* Opens a file. If `made_of` is not NULL, it must equal the text in the file. With `is_mapped` the index stays in the
 * file, is ready at once, and cannot be changed. */
neardup_status neardup_index_load(const char* path, int bits, const char* made_of, int is_mapped,
                                  neardup_index** result, neardup_error*);

int neardup_index_bits(const neardup_index*);
int neardup_index_k(const neardup_index*);
size_t neardup_index_size(const neardup_index*); /* number of pairs */

void neardup_matches_free(neardup_matches*);
size_t neardup_matches_size(const neardup_matches*);
const uint32_t* neardup_matches_query(const neardup_matches*);
const uint64_t* neardup_matches_id(const neardup_matches*);
const uint32_t* neardup_matches_distance(const neardup_matches*); /* for codes, in bits; else NULL */
const uint32_t* neardup_matches_common(const neardup_matches*);   /* for sets; else NULL */
const double* neardup_matches_similarity(const neardup_matches*); /* for sets; else NULL */

/* ---- An index of feature sets --------------------------------------------------------------------------------------- */

/* Feature sets in memory, one for each id. A search finds all sets that are similar enough to a query: none is missed. */
typedef struct neardup_set_index neardup_set_index;

/* An empty index. `width`: the bits of a feature, 32 or 64. `join`: the least similarity of searches, the measure and
 * the least overlap. */
neardup_status neardup_set_index_new(int width, const neardup_join*, neardup_set_index** result, neardup_error*);
void neardup_set_index_free(neardup_set_index*);
/* Adds the set i of a collection under ids[i]. An id that is in the index keeps its set. A call that fails adds none. */
neardup_status neardup_set_index_insert(neardup_set_index*, const neardup_sets*, const uint64_t* ids,
                                        const neardup_run*, size_t* inserted, neardup_error*);
neardup_status neardup_set_index_erase(neardup_set_index*, const uint64_t* ids, size_t count, size_t* erased,
                                       neardup_error*);
/* `similarity`: at least that of the index; 0 stands for that. With `nearest_only`, each query has at most one match: the
 * most similar set, of equally similar ones that of the smallest id. */
neardup_status neardup_set_index_search(const neardup_set_index*, const neardup_sets* queries, double similarity,
                                        int nearest_only, const neardup_run*, neardup_matches** result, neardup_error*);
int neardup_set_index_contains(const neardup_set_index*, uint64_t id);
int neardup_set_index_width(const neardup_set_index*);
size_t neardup_set_index_size(const neardup_set_index*);   /* number of ids */
size_t neardup_set_index_memory(const neardup_set_index*); /* bytes */

/* ---- Documents that come one by one, or in batches ----------------------------------------------------------------- */

/* Keeps the first document of each kind: an added document is new, or a near-duplicate of a kept one. No near-duplicate
 * is missed. Its original is the most similar kept document, of equally similar ones the earliest. */
typedef struct neardup_dedup neardup_dedup;

typedef struct {
  double similarity;      /* the least Jaccard similarity, at most 1; 0 stands for 0.8 */
  uint64_t max_documents; /* 0: no limit. The oldest documents are forgotten */
  uint64_t max_bytes;     /* limit of memory; 0: no limit. It holds after each call */
  uint64_t max_age;       /* limit of age, in the unit of `now`; then each addition needs `now` */
  int duplicates_renew;   /* a near-duplicate makes its original as young as itself */
  int refuse_when_full;   /* NEARDUP_TOO_LARGE, instead of forgetting */
} neardup_dedup_options;

/* Verdicts, one for each document, in arrays of the caller. */
typedef struct {
  uint8_t* is_new;
  uint64_t* original; /* the id of the original; only if it is not new */
  double* similarity; /* similarity to the original; 0 if it is new */
} neardup_verdicts;

neardup_status neardup_dedup_new(const neardup_composition*, const neardup_dedup_options*, neardup_dedup** result,
                                 neardup_error*);
/* Opens a deduplicator whose changes are on the disk, in `path` and a log beside it, before a call returns. Continues if
 * these files exist.
 * NEARDUP_INVALID if the file has another composition or similarity. */
neardup_status neardup_dedup_open(const char* path, const neardup_composition*, const neardup_dedup_options*,
                                  neardup_dedup** result, neardup_error*);
/* Loads a deduplicator into memory, from a file of neardup_dedup_save. NEARDUP_FAILED if neardup_dedup_open has
 * made changes since, which are in its log. */
neardup_status neardup_dedup_load(const char* path, const neardup_composition*, const neardup_dedup_options*,
                                  neardup_dedup** result, neardup_error*);
void neardup_dedup_free(neardup_dedup*);

/* Decides about documents in order, and keeps the new ones. Nulls and texts without features are new, and not kept.
 * `ids`: NULL for the numbers of documents added before. `now`: NULL, or the time of the batch, which must not decrease.
 * The input must not be a stream: add its arrays. Documents are added in pieces, each as a whole: of 32,768, or with
 * max_bytes of about as many as there is room for. If there is no room for a piece (NEARDUP_TOO_LARGE), a file or memory
 * fails, or the call is cancelled, the pieces before it stay added. neardup_dedup_added then says how many documents there
 * are; the verdicts of these are written. A call with a wrong argument adds none. */
neardup_status neardup_dedup_add(neardup_dedup*, const neardup_input*, const uint64_t* ids, const uint64_t* now,
                                 const neardup_run*, const neardup_verdicts*, neardup_error*);
/* Decides as neardup_dedup_add by the documents that are kept so far; nothing is added. */
neardup_status neardup_dedup_find(const neardup_dedup*, const neardup_input*, const neardup_run*,
                                  const neardup_verdicts*, neardup_error*);
/* Forgets a document; *was_kept is 0 if it is not kept. */
neardup_status neardup_dedup_erase(neardup_dedup*, uint64_t id, int* was_kept, neardup_error*);
/* Writes all to a file. If `path` is NULL, to the file of neardup_dedup_open, whose log begins again. Another file that
 * neardup_dedup_open has open is refused. */
neardup_status neardup_dedup_save(neardup_dedup*, const char* path, neardup_error*);

size_t neardup_dedup_size(const neardup_dedup*);    /* documents that are kept */
uint64_t neardup_dedup_added(const neardup_dedup*); /* documents that were added, near-duplicates and nulls included */
int neardup_dedup_contains(const neardup_dedup*, uint64_t id);
size_t neardup_dedup_memory(const neardup_dedup*); /* bytes, an estimate */

/* ---- Joins as a shuffle, for corpora on many machines ---------------------------------------------------------------- */

/* A join in steps, between which an engine moves bytes: counts of all sets are merged; each set is scattered to the
 * partitions of its rare features; each partition is gathered with the blobs that all scatters have made for it.
 * Documents have numbers of the caller. Nothing here knows files or networks. */

/* Bytes that the library has made. */
typedef struct neardup_bytes neardup_bytes;
void neardup_bytes_free(neardup_bytes*);
const void* neardup_bytes_data(const neardup_bytes*);
size_t neardup_bytes_size(const neardup_bytes*);

/* In how many sets features occur: a sketch, which is never too low. */
typedef struct neardup_counts neardup_counts;

/* `width`: the bits of a feature, 32 or 64; 64 for large corpora. `features`: about how many features all sets of the
 * corpus have in sum; the same for all counts that are merged. */
neardup_status neardup_counts_new(int width, uint64_t features, neardup_counts** result, neardup_error*);
void neardup_counts_free(neardup_counts*);
neardup_status neardup_counts_add(neardup_counts*, const neardup_sets*, neardup_error*);
neardup_status neardup_counts_merge(neardup_counts*, const neardup_counts* other, neardup_error*);
neardup_status neardup_counts_save(const neardup_counts*, neardup_bytes** result, neardup_error*);
/* Reads what neardup_counts_save has made. With `is_mapped` the bytes are not copied, stay with the caller until the
 * counts are freed, and the counts cannot be changed. */
neardup_status neardup_counts_load(int width, const void* data, size_t size, int is_mapped, neardup_counts** result,
                                   neardup_error*);
uint64_t neardup_counts_counted(const neardup_counts*); /* features that were added */

/* What a shuffle moves of a set besides its rare features. */
typedef enum {
  NEARDUP_MOVE_SETS = 0, /* all of it: a gathered partition has pairs */
  NEARDUP_MOVE_SKETCHES, /* 128 bits: a gathered partition has candidates, few of which are no pairs */
  NEARDUP_MOVE_IDS       /* nothing: a gathered partition has candidates */
} neardup_payload;

/* The same in all steps of a shuffle; blobs of other settings are refused. */
typedef struct {
  neardup_join join;
  uint32_t partitions; /* 0 stands for 1 */
  neardup_payload payload;
  int all_counted;      /* the counts have all sets: features that occur once are left out */
  uint64_t second_from; /* documents from this number on are a second corpus, of pairs across only; 0: one corpus */
  uint64_t identity;    /* of whatever has made the features: a number of the caller */
} neardup_shuffle;

/* Sets that wait to be moved to their partitions. */
typedef struct neardup_scatter neardup_scatter;

/* The counts stay with the caller until the scatter is freed, and do not change. */
neardup_status neardup_scatter_new(const neardup_shuffle*, const neardup_counts*, neardup_scatter** result,
                                   neardup_error*);
void neardup_scatter_free(neardup_scatter*);
/* Adds the set i of a collection as that of documents[i]. Thousands of sets at a time are best. */
neardup_status neardup_scatter_add(neardup_scatter*, const uint64_t* documents, const neardup_sets*, neardup_error*);
size_t neardup_scatter_size(const neardup_scatter*); /* bytes that wait */
/* Takes what waits for a partition, as one blob. It has no bytes if nothing waits. */
neardup_status neardup_scatter_take(neardup_scatter*, uint32_t partition, neardup_bytes** result, neardup_error*);

typedef struct {
  const void* data;
  size_t size;
} neardup_blob;

/* Pairs of documents in columns of equal length, first < second, sorted. */
typedef struct neardup_document_pairs neardup_document_pairs;

/* Joins a partition. Of whole sets, these are its pairs, and each pair is in one partition. Of ids and sketches, they are
 * candidates to verify, each in one partition or more. NEARDUP_FAILED if a blob is damaged, or of another shuffle. */
neardup_status neardup_gather(int width, const neardup_blob* blobs, size_t count, const neardup_shuffle*,
                              uint32_t partition, const neardup_run*, neardup_document_pairs** result, neardup_error*);
void neardup_document_pairs_free(neardup_document_pairs*);
size_t neardup_document_pairs_size(const neardup_document_pairs*);
const uint64_t* neardup_document_pairs_first(const neardup_document_pairs*);
const uint64_t* neardup_document_pairs_second(const neardup_document_pairs*);
const uint32_t* neardup_document_pairs_common(const neardup_document_pairs*);   /* NULL for candidates */
const double* neardup_document_pairs_similarity(const neardup_document_pairs*); /* NULL for candidates */

/* Compares set i of `a` with set i of `b`. Writes the overlap and the similarity of each two; both are 0 if they are not
 * similar enough. */
neardup_status neardup_verify_sets(const neardup_sets* a, const neardup_sets* b, const neardup_join*, uint32_t* common,
                                   double* similarity, neardup_error*);

#ifdef __cplusplus
}
#endif

#endif
