/* Arguments and checks for two tests: c_test.c, and the test that null_pointers.py writes. */
#ifndef NEARDUP_TESTS_NULL_POINTERS_H
#define NEARDUP_TESTS_NULL_POINTERS_H

#include "../neardup.h"

/* Arguments that are valid together: two sets of 32 bits, two texts, two codes of 64 bits. */
typedef struct {
  neardup_dictionary_files files;
  neardup_text text;
  neardup_input input, lists;
  neardup_sets* sets;
  neardup_texts* texts;
  neardup_idf* idf;
  neardup_code_view codes;
  neardup_pair_view pairs;
  neardup_index* index;
  neardup_set_index* set_index;
  neardup_dedup* dedup;
  neardup_verdicts verdicts;
  neardup_counts* counts;
  neardup_scatter* scatter;
  neardup_shuffle shuffle;
  neardup_blob blob; /* saved counts */
  neardup_passage_shuffle passages;
  neardup_passage_view places; /* none */
  const uint32_t* features;
  uint32_t positions[4];
  uint64_t ids[4];
  int64_t offsets[4];
  double scores[4];
  size_t changed;
  int was_kept;
  const char *path, *index_path, *idf_path, *dedup_path;
  const char* call; /* the name of the call, for messages */
  neardup_error error;
} null_fixture;

int take_nothing(void* context, const char* token, size_t size);
/* Names the next call. */
void begin(null_fixture* of, const char* call);
/* Fails unless the status is NEARDUP_INVALID and the message is `wanted`. If `wanted` is NULL, the status must be NEARDUP_OK. */
void expect(null_fixture* of, neardup_status status, const char* wanted);
/* Fails unless a function without a status has returned 0 or NULL. */
void expect_nothing(const char* function, int is_nothing);

/* null_pointers.py writes this function. */
void call_with_null_pointers(null_fixture* of);

#endif
