/* Tests the C interface from C: calls every function, provokes errors, and compares results with an oracle. */
#include "../neardup.h"
#include "null_pointers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                             \
  do {                                                               \
    if (!(condition)) {                                              \
      ++failures;                                                    \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                \
  } while (0)
#define CHECK_OK(call)                                                  \
  do {                                                                  \
    neardup_error e_;                                                   \
    memset(&e_, 0, sizeof(e_));                                         \
    error = &e_;                                                        \
    if ((call) != NEARDUP_OK) {                                         \
      ++failures;                                                       \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, e_.message); \
    }                                                                   \
  } while (0)

enum { COUNT = 200, MOST = 40 };

/* A small generator, so that every machine has the same sets. */
static uint32_t random_below(uint32_t* state, uint32_t n) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % n;
}

static int by_value(const void* a, const void* b) {
  const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
  return (x > y) - (x < y);
}

/* Makes sets, many of which are similar: each is a changed copy of one of 20 sets. Returns the number of features. */
static size_t make_sets(uint32_t* features, int64_t* offsets) {
  uint32_t state = 7, base[20][MOST];
  size_t used = 0;
  int i, j;
  for (i = 0; i < 20; ++i) {
    for (j = 0; j < MOST; ++j) base[i][j] = random_below(&state, 1u << 20);
  }
  for (i = 0; i < COUNT; ++i) {
    uint32_t own[MOST];
    const uint32_t from = random_below(&state, 20), size = random_below(&state, MOST + 1);
    size_t kept = 0;
    for (j = 0; j < (int)size; ++j) {
      own[j] = random_below(&state, 20) == 0 ? random_below(&state, 1u << 20) : base[from][j];
    }
    qsort(own, size, sizeof(own[0]), by_value);
    offsets[i] = (int64_t)used;
    for (j = 0; j < (int)size; ++j) {
      if (kept == 0 || own[j] != features[used + kept - 1]) features[used + kept++] = own[j];
    }
    used += kept;
  }
  offsets[COUNT] = (int64_t)used;
  return used;
}

static uint32_t overlap(const uint32_t* features, const int64_t* offsets, int a, int b) {
  int64_t i = offsets[a], j = offsets[b];
  uint32_t common = 0;
  while (i < offsets[a + 1] && j < offsets[b + 1]) {
    const uint32_t x = features[i], y = features[j];
    common += x == y;
    i += x <= y;
    j += y <= x;
  }
  return common;
}

static double similarity_of(neardup_measure measure, double a, double b, double common) {
  if (a == 0 || b == 0) return 0;
  if (measure == NEARDUP_COSINE) return common / sqrt(a * b);
  if (measure == NEARDUP_CONTAINMENT) return common / (a < b ? a : b);
  return common / (a + b - common);
}

static void test_joins(void) {
  static uint32_t features[COUNT * MOST];
  static uint64_t wide[COUNT * MOST];
  static int64_t offsets[COUNT + 1];
  const size_t used = make_sets(features, offsets);
  neardup_error* error = NULL;
  size_t i;
  int width, measure, threads;
  for (i = 0; i < used; ++i) wide[i] = (uint64_t)features[i] << 20;
  for (width = 32; width <= 64; width += 32) {
    neardup_sets* sets = NULL;
    CHECK_OK(neardup_sets_new(width, &sets, error));
    CHECK_OK(neardup_sets_add(sets, width == 32 ? (const void*)features : (const void*)wide, offsets, COUNT, error));
    CHECK(neardup_sets_width(sets) == width);
    CHECK(neardup_sets_size(sets) == COUNT);
    for (measure = NEARDUP_JACCARD; measure <= NEARDUP_CONTAINMENT; ++measure) {
      for (threads = 1; threads <= 3; ++threads) {
        neardup_join join;
        neardup_run run;
        neardup_pairs *pairs = NULL, *across = NULL, *verified = NULL;
        uint32_t labels[COUNT], expected[COUNT], extended[COUNT];
        neardup_grouping grouping;
        size_t at = 0;
        int a, b;
        memset(&join, 0, sizeof(join));
        memset(&run, 0, sizeof(run));
        memset(&grouping, 0, sizeof(grouping));
        join.similarity = 0.6;
        join.measure = (neardup_measure)measure;
        join.min_common = 1;
        run.threads = (size_t)threads;
        grouping.join = join;
        CHECK_OK(neardup_pairs_of_sets(sets, NULL, &join, &run, &pairs, error));
        CHECK_OK(neardup_pairs_of_sets(sets, sets, &join, &run, &across, error));
        for (a = 0; a < COUNT; ++a) {
          for (b = a + 1; b < COUNT; ++b) {
            const uint32_t common = overlap(features, offsets, a, b);
            const double similarity = similarity_of(join.measure, (double)(offsets[a + 1] - offsets[a]),
                                                    (double)(offsets[b + 1] - offsets[b]), common);
            if (similarity < 0.6) continue;
            CHECK(at < neardup_pairs_size(pairs));
            CHECK(neardup_pairs_first(pairs)[at] == (uint32_t)a);
            CHECK(neardup_pairs_second(pairs)[at] == (uint32_t)b);
            CHECK(neardup_pairs_common(pairs)[at] == common);
            CHECK(neardup_pairs_similarity(pairs)[at] == similarity);
            ++at;
          }
        }
        CHECK(at > 100 && at == neardup_pairs_size(pairs));
        CHECK(neardup_pairs_size(across) > 2 * at); /* each pair in both orders, and each set with itself */
        CHECK_OK(neardup_verify(sets, NULL, neardup_pairs_first(pairs), neardup_pairs_second(pairs), at, &join, &run,
                                &verified, error));
        CHECK(neardup_pairs_size(verified) == at);
        CHECK(memcmp(neardup_pairs_similarity(verified), neardup_pairs_similarity(pairs), at * sizeof(double)) == 0);
        neardup_pairs_free(verified);
        neardup_pairs_free(across);
        neardup_pairs_free(pairs);
        if (measure == NEARDUP_CONTAINMENT) continue; /* containment prefers the largest sets */
        for (b = 0; b < COUNT; ++b) {
          double best = 0;
          expected[b] = (uint32_t)b;
          for (a = 0; a < b; ++a) {
            const double similarity =
                similarity_of(join.measure, (double)(offsets[a + 1] - offsets[a]),
                              (double)(offsets[b + 1] - offsets[b]), overlap(features, offsets, a, b));
            if (expected[a] != (uint32_t)a || similarity < 0.6 || similarity <= best) continue;
            best = similarity;
            expected[b] = (uint32_t)a;
          }
        }
        CHECK_OK(neardup_group(sets, &grouping, &run, labels, error));
        CHECK(memcmp(labels, expected, sizeof(labels)) == 0);
        CHECK_OK(neardup_extend_groups(sets, sets, &grouping, &run, extended, error));
        for (b = 0; b < COUNT; ++b) { /* the most similar set is an equal set */
          for (a = 0; a < COUNT && offsets[b] < offsets[b + 1]; ++a) {
            const uint32_t common = overlap(features, offsets, a, b);
            if (common == offsets[b + 1] - offsets[b] && common == offsets[a + 1] - offsets[a]) break;
          }
          CHECK(extended[b] == (uint32_t)(offsets[b] < offsets[b + 1] ? a : COUNT + b));
        }
        grouping.keep_only = 1;
        CHECK_OK(neardup_group(sets, &grouping, &run, labels, error));
        for (b = 0; b < COUNT; ++b) CHECK((labels[b] == (uint32_t)b) == (expected[b] == (uint32_t)b));
      }
    }
    neardup_sets_free(sets);
  }
}

static void test_texts(void) {
  const char* const words[] = {"one two three four five six", "one two three four five six seven", NULL, "", "\xff\xfe",
                               "one two three four five six"};
  neardup_text texts[6];
  neardup_input input;
  neardup_composition made_of;
  neardup_sets* sets = NULL;
  neardup_pairs* pairs = NULL;
  neardup_codes *codes = NULL, *half = NULL;
  neardup_code_options options;
  neardup_error* error = NULL;
  neardup_code_view view;
  uint32_t labels[6];
  int i;
  memset(&input, 0, sizeof(input));
  memset(&made_of, 0, sizeof(made_of));
  memset(&options, 0, sizeof(options));
  for (i = 0; i < 6; ++i) {
    texts[i].data = words[i];
    texts[i].size = words[i] == NULL ? 0 : strlen(words[i]);
  }
  input.texts = texts;
  input.size = 6;
  CHECK_OK(neardup_sets_new(32, &sets, error));
  CHECK_OK(neardup_sets_add_texts(sets, NULL, &input, NULL, error));
  CHECK(neardup_sets_nulls(sets) == 1);
  CHECK(neardup_sets_offsets(sets)[1] == 5); /* pairs of words */
  CHECK(neardup_sets_offsets(sets)[6] == 16);
  CHECK_OK(neardup_pairs_of_sets(sets, NULL, NULL, NULL, &pairs, error));
  CHECK(neardup_pairs_size(pairs) == 3);
  CHECK(neardup_pairs_similarity(pairs)[0] == 5.0 / 6);
  neardup_pairs_free(pairs);
  CHECK_OK(neardup_codes_of_texts(NULL, NULL, &input, NULL, &codes, error));
  CHECK(neardup_codes_size(codes) == 6 && neardup_codes_nulls(codes) == 3);
  CHECK(neardup_codes_words(codes)[0] == neardup_codes_words(codes)[5]);
  options.bits = 32;
  CHECK_OK(neardup_codes_of_texts(NULL, &options, &input, NULL, &half, error));
  CHECK(neardup_codes_words(half)[0] == (neardup_codes_words(codes)[0] & 0xffffffffu));
  view.words = neardup_codes_words(codes);
  view.valid = neardup_codes_valid(codes);
  view.size = 6;
  view.bits = 64;
  CHECK_OK(neardup_near_pairs(&view, NULL, 0, 0, NULL, &pairs, error));
  CHECK(neardup_pairs_size(pairs) == 1 && neardup_pairs_first(pairs)[0] == 0 && neardup_pairs_second(pairs)[0] == 5);
  neardup_pairs_free(pairs);
  CHECK_OK(neardup_cluster(&view, 0, NULL, labels, error));
  CHECK(labels[5] == 0 && labels[1] == 1 && labels[2] == 2 && labels[3] == 3);
  neardup_codes_free(half);
  neardup_codes_free(codes);
  neardup_sets_free(sets);
}

static int count_tokens(void* context, const char* token, size_t size) {
  (void)token;
  *(size_t*)context += size;
  return 0;
}

/* Groups by pairs of the caller: 3 is nearest to 1, which 0 represents; 4 is as near to 2 as to 0. */
static void test_pairs_of_a_caller(void) {
  static const uint32_t first[] = {3, 0, 4, 2}, second[] = {1, 1, 0, 4}, distance[] = {1, 2, 3, 3};
  static const double similarity[] = {0.9, 0.8, 0.7, 0.7}, prefer[] = {0, 1, 0, 0, NAN};
  neardup_pair_view view;
  neardup_grouping grouping;
  neardup_pairs* pairs = NULL;
  neardup_error e, *error = &e;
  uint32_t labels[5];
  memset(&view, 0, sizeof(view));
  memset(&grouping, 0, sizeof(grouping));
  view.first = first, view.second = second, view.similarity = similarity, view.size = 4;
  CHECK_OK(neardup_pairs_new(&view, &pairs, error));
  CHECK(neardup_pairs_size(pairs) == 4 && neardup_pairs_second(pairs)[3] == 4);
  CHECK(neardup_pairs_similarity(pairs)[0] == 0.9);
  neardup_pairs_free(pairs);
  CHECK_OK(neardup_group_pairs(&view, 5, NULL, labels, error));
  CHECK(labels[0] == 0 && labels[1] == 0 && labels[2] == 2 && labels[3] == 3 && labels[4] == 0);
  view.similarity = NULL, view.distance = distance;
  CHECK_OK(neardup_group_pairs(&view, 4 + 1, &grouping, labels, error));
  CHECK(labels[1] == 0 && labels[3] == 3 && labels[4] == 0);
  grouping.preference = prefer;
  view.size = 2;
  CHECK_OK(neardup_group_pairs(&view, 4, &grouping, labels, error));
  CHECK(labels[0] == 1 && labels[1] == 1 && labels[2] == 2 && labels[3] == 1);
  error = &e;
  CHECK(neardup_group_pairs(&view, 5, &grouping, labels, error) == NEARDUP_INVALID);
  CHECK(strcmp(e.message, "a preference is not a number") == 0);
  grouping.preference = NULL;
  grouping.components = 1;
  view.size = 4;
  CHECK_OK(neardup_group_pairs(&view, 5, &grouping, labels, error));
  CHECK(labels[0] == 0 && labels[1] == 0 && labels[2] == 0 && labels[3] == 0 && labels[4] == 0);
  error = &e;
  CHECK(neardup_group_pairs(&view, 4, &grouping, labels, error) == NEARDUP_INVALID);
  CHECK(strcmp(e.message, "pair 2 has a position that does not exist") == 0);
}

static void test_errors(void) {
  neardup_error e, *error = &e;
  neardup_sets *sets = NULL, *wide = NULL;
  neardup_pairs* pairs = NULL;
  neardup_join join;
  neardup_run run;
  neardup_composition made_of;
  neardup_text text;
  volatile int cancel = 1;
  const uint32_t twice[] = {3, 3};
  const int64_t offsets[] = {0, 2};
  const uint32_t beyond[] = {0};
  size_t sum = 0;
  char long_name[4000];
  CHECK(neardup_sets_new(31, &sets, error) == NEARDUP_INVALID);
  CHECK(strcmp(e.message, "features have 32 or 64 bits, not 31") == 0);
  CHECK(neardup_sets_new(31, &sets, NULL) == NEARDUP_INVALID);
  CHECK_OK(neardup_sets_new(32, &sets, error));
  CHECK_OK(neardup_sets_new(64, &wide, error));
  error = &e;
  CHECK(neardup_sets_add(sets, twice, offsets, 1, error) == NEARDUP_INVALID);
  CHECK(neardup_sets_size(sets) == 0);
  CHECK(neardup_pairs_of_sets(sets, wide, NULL, NULL, &pairs, error) == NEARDUP_INVALID);
  memset(&join, 0, sizeof(join));
  join.similarity = -1;
  CHECK(neardup_pairs_of_sets(sets, NULL, &join, NULL, &pairs, error) == NEARDUP_INVALID);
  join.similarity = NAN;
  CHECK(neardup_pairs_of_sets(sets, NULL, &join, NULL, &pairs, error) == NEARDUP_INVALID);
  join.similarity = 80;
  CHECK(neardup_pairs_of_sets(sets, NULL, &join, NULL, &pairs, error) == NEARDUP_INVALID);
  CHECK(strcmp(e.message, "a least similarity is above 0 and at most 1, not 80") == 0);
  CHECK(neardup_pairs_of_sets(NULL, NULL, NULL, NULL, &pairs, error) == NEARDUP_INVALID);
  CHECK(neardup_verify(sets, NULL, beyond, beyond, 1, NULL, NULL, &pairs, error) == NEARDUP_INVALID);
  memset(&run, 0, sizeof(run));
  run.cancel = &cancel;
  CHECK(neardup_pairs_of_sets(sets, NULL, NULL, &run, &pairs, error) == NEARDUP_CANCELLED);
  memset(&made_of, 0, sizeof(made_of));
  memset(long_name, 'x', sizeof(long_name) - 1);
  long_name[sizeof(long_name) - 1] = 0;
  made_of.features = long_name;
  text.data = "two words";
  text.size = 9;
  CHECK(neardup_tokens(&made_of, text, count_tokens, &sum, error) == NEARDUP_INVALID);
  CHECK(strlen(e.message) == sizeof(e.message) - 1);
  made_of.features = "words";
  CHECK_OK(neardup_tokens(&made_of, text, count_tokens, &sum, error));
  CHECK(sum == 8);
  neardup_sets_free(wide);
  neardup_sets_free(sets);
  neardup_sets_free(NULL);
}

/* ---- Arrow arrays, made without a library of Arrow --------------------------------------------------------------- */

static int released = 0;
static void release_array(struct ArrowArray* array) {
  ++released;
  array->release = NULL;
}
static void release_schema(struct ArrowSchema* schema) {
  ++released;
  schema->release = NULL;
}

/* The texts "", null, "one two three", "one two three" as rows 1 to 4 of 5, in an array of 32-bit offsets. */
static const char rows_text[] = "beforeone two threeone two three";
static const int32_t rows_offsets[] = {0, 6, 6, 6, 19, 32};
static const uint8_t rows_valid[] = {0x1b}; /* not row 2 */
static const void* rows_buffers[] = {rows_valid, rows_offsets, rows_text};

static void make_rows(struct ArrowArray* array, int64_t offset, int64_t length) {
  memset(array, 0, sizeof(*array));
  array->length = length;
  array->null_count = -1;
  array->offset = offset;
  array->n_buffers = 3;
  array->buffers = rows_buffers;
  array->release = release_array;
}

static void make_schema(struct ArrowSchema* schema, const char* format) {
  memset(schema, 0, sizeof(*schema));
  schema->format = format;
  schema->flags = ARROW_FLAG_NULLABLE;
  schema->release = release_schema;
}

/* A stream that returns rows 1 and 2, then rows 3 and 4, and then ends or fails. */
typedef struct {
  int given, fails;
} stream_state;
static int stream_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  (void)stream;
  make_schema(out, "u");
  return 0;
}
static int stream_next(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  stream_state* const state = (stream_state*)stream->private_data;
  memset(out, 0, sizeof(*out));
  if (state->given == 2) return state->fails ? 5 : 0;
  make_rows(out, 1 + 2 * state->given++, 2);
  return 0;
}
static const char* stream_error(struct ArrowArrayStream* stream) {
  (void)stream;
  return "the cable is cut";
}
static void stream_release(struct ArrowArrayStream* stream) { stream->release = NULL; }

static void test_arrow(void) {
  static const char* const wrong_formats[] = {"i", "+l", "+r", "w:4", "+s", "", "tdD"};
  const uint32_t features[] = {9, 1, 5, 5, 7};
  const int32_t offsets[] = {0, 1, 3, 3, 5};
  const void* list_buffers[] = {NULL, offsets};
  const void* value_buffers[] = {NULL, features};
  struct ArrowArray array, list, values;
  struct ArrowArray* children[1];
  struct ArrowSchema schema, list_schema, value_schema;
  struct ArrowSchema* schema_children[1];
  struct ArrowArrayStream stream;
  stream_state state;
  neardup_sets* sets = NULL;
  neardup_pairs* pairs = NULL;
  neardup_input input;
  neardup_error e, *error = &e;
  size_t i;
  memset(&input, 0, sizeof(input));
  make_rows(&array, 1, 4);
  make_schema(&schema, "u");
  input.array = &array;
  input.schema = &schema;
  CHECK_OK(neardup_sets_new(32, &sets, error));
  CHECK_OK(neardup_sets_add_texts(sets, NULL, &input, NULL, error));
  CHECK(neardup_sets_size(sets) == 4 && neardup_sets_nulls(sets) == 1 && released == 0);
  CHECK_OK(neardup_pairs_of_sets(sets, NULL, NULL, NULL, &pairs, error));
  CHECK(neardup_pairs_size(pairs) == 1 && neardup_pairs_first(pairs)[0] == 2 && neardup_pairs_second(pairs)[0] == 3);
  neardup_pairs_free(pairs);
  error = &e;
  for (i = 0; i < sizeof(wrong_formats) / sizeof(wrong_formats[0]); ++i) {
    make_schema(&schema, wrong_formats[i]);
    CHECK(neardup_sets_add_texts(sets, NULL, &input, NULL, error) == NEARDUP_INVALID);
  }
  make_schema(&schema, "u");
  array.release = NULL;
  CHECK(neardup_sets_add_texts(sets, NULL, &input, NULL, error) == NEARDUP_INVALID);
  make_rows(&array, 1, 4);
  array.n_buffers = 2;
  CHECK(neardup_sets_add_texts(sets, NULL, &input, NULL, error) == NEARDUP_INVALID);
  CHECK(neardup_sets_size(sets) == 4);
  memset(&input, 0, sizeof(input));
  memset(&stream, 0, sizeof(stream));
  memset(&state, 0, sizeof(state));
  stream.get_schema = stream_schema;
  stream.get_next = stream_next;
  stream.get_last_error = stream_error;
  stream.release = stream_release;
  stream.private_data = &state;
  input.stream = &stream;
  CHECK_OK(neardup_sets_add_texts(sets, NULL, &input, NULL, error));
  CHECK(neardup_sets_size(sets) == 8 && neardup_sets_nulls(sets) == 2 && released == 3); /* a schema, two arrays */
  memset(&state, 0, sizeof(state));
  state.fails = 1;
  error = &e;
  CHECK(neardup_sets_add_texts(sets, NULL, &input, NULL, error) == NEARDUP_FAILED);
  CHECK(strcmp(e.message, "the Arrow stream: the cable is cut") == 0 && released == 6);
  neardup_sets_free(sets);
  /* The sets {1, 5}, {}, {5, 7}, after a set that the offset leaves out. */
  make_schema(&value_schema, "I");
  make_schema(&list_schema, "+l");
  schema_children[0] = &value_schema;
  list_schema.children = schema_children;
  list_schema.n_children = 1;
  memset(&values, 0, sizeof(values));
  values.length = 5;
  values.n_buffers = 2;
  values.buffers = value_buffers;
  values.release = release_array;
  list = values;
  list.offset = 1;
  list.length = 3;
  list.buffers = list_buffers;
  list.n_children = 1;
  children[0] = &values;
  list.children = children;
  memset(&input, 0, sizeof(input));
  input.array = &list;
  input.schema = &list_schema;
  CHECK_OK(neardup_sets_new(32, &sets, error));
  CHECK_OK(neardup_sets_add_lists(sets, &input, error));
  CHECK(neardup_sets_size(sets) == 3 && neardup_sets_offsets(sets)[3] == 4);
  CHECK(memcmp(neardup_sets_features(sets), features + 1, 4 * sizeof(uint32_t)) == 0);
  error = &e;
  values.length = 4;
  CHECK(neardup_sets_add_lists(sets, &input, error) == NEARDUP_INVALID && neardup_sets_size(sets) == 3);
  values.length = 5;
  { /* Rows 1 and 2 of a struct of this column, of which row 2 is null. */
    const uint8_t rows_of_struct[] = {0x3};
    const void* struct_buffers[1];
    struct ArrowArray rows;
    struct ArrowSchema struct_schema;
    struct ArrowArray* columns[1];
    struct ArrowSchema* column_schemas[1];
    const uint8_t features_valid[] = {0x1e}; /* the first feature, which no set has, is null */
    struct_buffers[0] = rows_of_struct;
    columns[0] = &list;
    column_schemas[0] = &list_schema;
    make_schema(&struct_schema, "+s");
    struct_schema.children = column_schemas;
    struct_schema.n_children = 1;
    memset(&rows, 0, sizeof(rows));
    rows.offset = 1;
    rows.length = 2;
    rows.null_count = -1;
    rows.n_buffers = 1;
    rows.buffers = struct_buffers;
    rows.n_children = 1;
    rows.children = columns;
    rows.release = release_array;
    input.array = &rows;
    input.schema = &struct_schema;
    values.null_count = -1;
    value_buffers[0] = features_valid;
    CHECK_OK(neardup_sets_add_lists(sets, &input, error));
    CHECK(neardup_sets_size(sets) == 5 && neardup_sets_nulls(sets) == 1);
    CHECK(neardup_sets_offsets(sets)[4] == 4 && neardup_sets_offsets(sets)[5] == 4); /* {}, null */
    error = &e;
    rows.length = 3;
    CHECK(neardup_sets_add_lists(sets, &input, error) ==
          NEARDUP_INVALID); /* the column has three rows after its offset */
    rows.offset = 0;
    struct_buffers[0] = NULL;
    CHECK_OK(neardup_sets_add_lists(sets, &input, error));
    CHECK(neardup_sets_size(sets) == 8 && neardup_sets_offsets(sets)[8] == 8);
    error = &e;
    list.offset = 0;
    CHECK(neardup_sets_add_lists(sets, &input, error) == NEARDUP_INVALID && strstr(e.message, "null") != NULL);
    list.offset = 1;
    for (i = 0; i < 6; ++i) { /* each array is released, or lacks a buffer */
      const void* const kept = value_buffers[1];
      if (i == 0) rows.release = NULL;
      if (i == 1) list.release = NULL;
      if (i == 2) values.release = NULL;
      if (i == 3) struct_schema.release = NULL;
      if (i == 4) value_buffers[1] = NULL;
      if (i == 5) value_schema.format = NULL;
      CHECK(neardup_sets_add_lists(sets, &input, error) == NEARDUP_INVALID && neardup_sets_size(sets) == 8);
      rows.release = list.release = values.release = release_array;
      struct_schema.release = release_schema;
      value_buffers[1] = kept;
    }
  }
  neardup_sets_free(sets);
}

static void test_index(const char* folder) {
  const uint64_t words[] = {0, 1, 3, 7, 15, 0xffff}, ids[] = {10, 11, 12, 13, 14, 15};
  const uint8_t valid[] = {1, 1, 1, 1, 0, 1};
  neardup_error e, *error = &e;
  neardup_index *index = NULL, *loaded = NULL;
  neardup_matches* matches = NULL;
  neardup_code_view view;
  size_t changed = 0;
  char path[1000];
  int is_mapped;
  view.words = words;
  view.valid = valid;
  view.size = 6;
  view.bits = 64;
  snprintf(path, sizeof(path), "%s/index.neardup", folder);
  CHECK_OK(neardup_index_new(64, 3, 0, &index, error));
  CHECK_OK(neardup_index_insert(index, &view, ids, &changed, error));
  CHECK(changed == 5 && neardup_index_size(index) == 5 && neardup_index_bits(index) == 64);
  CHECK_OK(neardup_index_insert(index, &view, ids, &changed, error));
  CHECK(changed == 0);
  CHECK_OK(neardup_index_save(index, path, "mine", error));
  view.valid = NULL;
  for (is_mapped = 0; is_mapped < 2; ++is_mapped) {
    CHECK_OK(neardup_index_load(path, 64, "mine", is_mapped, &loaded, error));
    view.size = 1;
    CHECK_OK(neardup_index_search(loaded, &view, -1, NULL, &matches, error));
    CHECK(neardup_matches_size(matches) == 4);
    CHECK(neardup_matches_id(matches)[3] == 13 && neardup_matches_distance(matches)[3] == 3);
    CHECK(neardup_matches_query(matches)[3] == 0);
    neardup_matches_free(matches);
    error = &e;
    CHECK(neardup_index_load(path, 64, "yours", is_mapped, &index, error) == NEARDUP_INVALID);
    CHECK(neardup_index_load(path, 128, NULL, is_mapped, &index, error) == NEARDUP_FAILED);
    CHECK(neardup_index_search(loaded, &view, 4, NULL, &matches, error) == NEARDUP_INVALID);
    CHECK(neardup_index_insert(loaded, &view, ids, &changed, error) == (is_mapped ? NEARDUP_INVALID : NEARDUP_OK));
    neardup_index_free(loaded);
  }
  CHECK_OK(neardup_index_erase(index, &view, ids, &changed, error));
  CHECK(changed == 1 && neardup_index_size(index) == 4 && neardup_index_k(index) == 3);
  neardup_index_free(index);
}

static void test_set_index(void) {
  const uint32_t features[] = {1, 2, 3, 1, 2, 3, 4, 9};
  const int64_t offsets[] = {0, 3, 7, 8, 8};
  const uint64_t ids[] = {7, 5, 6, 8};
  neardup_error e, *error = &e;
  neardup_sets *sets = NULL, *wide = NULL;
  neardup_set_index* index = NULL;
  neardup_matches* matches = NULL;
  neardup_join join;
  size_t changed = 0;
  memset(&join, 0, sizeof(join));
  join.similarity = 0.7;
  CHECK_OK(neardup_sets_new(32, &sets, error));
  CHECK_OK(neardup_sets_new(64, &wide, error));
  CHECK_OK(neardup_sets_add(sets, features, offsets, 4, error));
  CHECK_OK(neardup_set_index_new(32, &join, &index, error));
  CHECK_OK(neardup_set_index_insert(index, sets, ids, NULL, &changed, error));
  CHECK(changed == 4 && neardup_set_index_size(index) == 4 && neardup_set_index_width(index) == 32);
  CHECK_OK(neardup_set_index_insert(index, sets, ids, NULL, &changed, error));
  CHECK(changed == 0 && neardup_set_index_contains(index, 8) && !neardup_set_index_contains(index, 4));
  CHECK_OK(neardup_set_index_search(index, sets, 0, 0, NULL, &matches, error));
  CHECK(neardup_matches_size(matches) == 5); /* two sets match each other, and three match themselves */
  CHECK(neardup_matches_query(matches)[1] == 0 && neardup_matches_id(matches)[1] == 5);
  CHECK(neardup_matches_common(matches)[1] == 3 && neardup_matches_similarity(matches)[1] == 0.75);
  neardup_matches_free(matches);
  CHECK_OK(neardup_set_index_erase(index, ids, 1, &changed, error));
  CHECK(changed == 1 && neardup_set_index_memory(index) > 0);
  CHECK_OK(neardup_set_index_search(index, sets, 0, 1, NULL, &matches, error));
  CHECK(neardup_matches_size(matches) == 3 && neardup_matches_id(matches)[0] == 5);
  neardup_matches_free(matches);
  CHECK_OK(neardup_set_index_search(index, sets, 0.8, 1, NULL, &matches, error));
  CHECK(neardup_matches_size(matches) == 2);
  neardup_matches_free(matches);
  error = &e;
  CHECK(neardup_set_index_search(index, sets, 0.6, 0, NULL, &matches, error) == NEARDUP_INVALID);
  CHECK(neardup_set_index_search(index, sets, 0.6, 1, NULL, &matches, error) == NEARDUP_INVALID);
  CHECK(neardup_set_index_search(index, wide, 0, 0, NULL, &matches, error) == NEARDUP_INVALID);
  CHECK(neardup_set_index_new(16, &join, &index, error) == NEARDUP_INVALID);
  neardup_set_index_free(index);
  neardup_set_index_free(NULL);
  neardup_sets_free(wide);
  neardup_sets_free(sets);
}

static uint64_t last_done, last_all;
static void tell(void* context, uint64_t done, uint64_t all) {
  ++*(int*)context;
  last_done = done;
  last_all = all;
}

static void test_edits(void) {
  const char* const words[] = {"The ferry, at seven", "the ferry at eleven", NULL, "?", "the ferry at seven"};
  neardup_text texts[5];
  neardup_input input;
  neardup_texts *corpus = NULL, *some = NULL;
  neardup_pairs* pairs = NULL;
  neardup_sets* sets = NULL;
  neardup_join join;
  neardup_grouping grouping;
  neardup_composition made_of;
  neardup_run run;
  neardup_error e, *error = &e;
  const char* const same[] = {"numbers", NULL};
  const char* const wrong[] = {"number", NULL};
  const uint32_t first[] = {0, 0, 2}, second[] = {1, 4, 2}, chosen[] = {0, 4, 1}, beyond[] = {0, 5};
  uint32_t labels[5];
  int i, calls = 0;
  memset(&input, 0, sizeof(input));
  memset(&join, 0, sizeof(join));
  memset(&grouping, 0, sizeof(grouping));
  memset(&made_of, 0, sizeof(made_of));
  memset(&run, 0, sizeof(run));
  for (i = 0; i < 5; ++i) {
    texts[i].data = words[i];
    texts[i].size = words[i] == NULL ? 0 : strlen(words[i]);
  }
  input.texts = texts;
  input.size = 5;
  run.progress = tell;
  run.context = &calls;
  CHECK_OK(neardup_texts_new(&corpus, error));
  CHECK_OK(neardup_texts_add(corpus, &input, &run, error));
  CHECK(neardup_texts_size(corpus) == 5 && neardup_texts_nulls(corpus) == 1);
  CHECK(calls == 1 && last_done == 5 && last_all == 5);
  CHECK_OK(neardup_pairs_of_texts(corpus, NULL, NULL, &run, &pairs, error));
  CHECK(neardup_pairs_size(pairs) == 3 && calls > 1 && last_done == last_all);
  CHECK(neardup_pairs_second(pairs)[1] == 4 && neardup_pairs_distance(pairs)[1] == 0);
  CHECK(neardup_pairs_distance(pairs)[0] == 2 && neardup_pairs_similarity(pairs)[0] == 17.0 / 19);
  neardup_pairs_free(pairs);
  join.copies_once = 1;
  CHECK_OK(neardup_pairs_of_texts(corpus, NULL, &join, NULL, &pairs, error));
  CHECK(neardup_pairs_size(pairs) == 2);
  neardup_pairs_free(pairs);
  CHECK_OK(neardup_pairs_of_texts(corpus, corpus, NULL, NULL, &pairs, error));
  CHECK(neardup_pairs_size(pairs) == 9);
  neardup_pairs_free(pairs);
  CHECK_OK(neardup_verify_texts(corpus, NULL, first, second, 3, NULL, NULL, &pairs, error));
  CHECK(neardup_pairs_size(pairs) == 2 && neardup_pairs_distance(pairs)[0] == 2);
  neardup_pairs_free(pairs);
  CHECK_OK(neardup_texts_new(&some, error));
  CHECK_OK(neardup_texts_add_some(some, corpus, chosen, 3, error));
  CHECK_OK(neardup_texts_add_some(some, some, second, 1, error));
  CHECK(neardup_texts_size(some) == 4 && neardup_texts_nulls(some) == 0);
  CHECK_OK(neardup_pairs_of_texts(some, NULL, NULL, NULL, &pairs, error));
  CHECK(neardup_pairs_size(pairs) == 6 && neardup_pairs_distance(pairs)[0] == 0 &&
        neardup_pairs_distance(pairs)[1] == 2);
  neardup_pairs_free(pairs);
  CHECK(neardup_texts_add_some(some, corpus, beyond, 2, &e) == NEARDUP_INVALID);
  CHECK(strcmp(e.message, "text 5 does not exist") == 0 && neardup_texts_size(some) == 4);
  neardup_texts_free(some);
  CHECK_OK(neardup_group_texts(corpus, NULL, NULL, labels, error));
  CHECK(labels[0] == 0 && labels[1] == 0 && labels[2] == 2 && labels[3] == 3 && labels[4] == 0);
  grouping.components = 1;
  CHECK_OK(neardup_group_texts(corpus, &grouping, NULL, labels, error));
  CHECK(labels[1] == 0 && labels[4] == 0);
  grouping.components = 0;
  CHECK_OK(neardup_extend_groups_of_texts(corpus, corpus, &grouping, NULL, labels, error));
  CHECK(labels[0] == 0 && labels[1] == 1 && labels[2] == 7 && labels[4] == 0);
  error = &e;
  join.measure = NEARDUP_COSINE;
  CHECK(neardup_pairs_of_texts(corpus, NULL, &join, NULL, &pairs, error) == NEARDUP_INVALID);
  neardup_texts_free(corpus);
  neardup_texts_free(NULL);
  made_of.same = same;
  CHECK_OK(neardup_sets_new(32, &sets, error));
  texts[0].data = "a ferry at 7", texts[0].size = 12;
  texts[1].data = "a ferry at 8", texts[1].size = 12;
  CHECK_OK(neardup_sets_add_texts(sets, &made_of, &input, NULL, error));
  memset(&join, 0, sizeof(join));
  join.similarity = 0.1;
  CHECK_OK(neardup_pairs_of_sets(sets, NULL, &join, NULL, &pairs, error));
  CHECK(neardup_pairs_size(pairs) == 0);
  neardup_pairs_free(pairs);
  error = &e;
  made_of.same = wrong;
  CHECK(neardup_sets_add_texts(sets, &made_of, &input, NULL, error) == NEARDUP_INVALID);
  neardup_sets_free(sets);
}

static void write_file(const char* path, const char* text) {
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Tests a repeated run of words: its places in code points and in bytes, and the texts without the run. */
static void test_passages(void) {
  const neardup_text texts[3] = {
      {"Ein \xc3\x96l, zwei \xc3\x96le", 18}, {NULL, 0}, {"\xc3\x84h, ein \xc3\x96l zwei \xc3\x96le!", 23}};
  const uint32_t wanted[10] = {2, 8, 19, 9, 22, 0, 4, 16, 4, 18};
  neardup_passage_options options = {0};
  neardup_input input = {0};
  neardup_passages* found = NULL;
  neardup_cut_texts* rest = NULL;
  neardup_error error;
  int i;
  input.texts = texts;
  input.size = 3;
  options.length = 3;
  CHECK(neardup_find_passages(&input, &options, NULL, &found, &error) == NEARDUP_OK);
  CHECK(neardup_passages_size(found) == 1);
  for (i = 0; i < 10; ++i) CHECK(neardup_passages_column(found, (neardup_passage_column)i)[0] == wanted[i]);
  CHECK(neardup_passages_column(found, (neardup_passage_column)10) == NULL);
  neardup_passages_free(found);
  CHECK(neardup_cut_passages(&input, &options, NULL, &rest, &error) == NEARDUP_OK);
  CHECK(neardup_cut_texts_size(rest) == 3);
  CHECK(neardup_cut_texts_valid(rest)[0] == 1 && neardup_cut_texts_valid(rest)[1] == 0);
  CHECK(neardup_cut_texts_offsets(rest)[2] == 18 && neardup_cut_texts_offsets(rest)[3] == 28);
  CHECK(memcmp(neardup_cut_texts_data(rest) + 18, "\xc3\x84h, ein !", 10) == 0);
  neardup_cut_texts_free(rest);
  options.length = ((size_t)1 << 20) + 1;
  CHECK(neardup_find_passages(&input, &options, NULL, &found, &error) == NEARDUP_INVALID);
  CHECK(strstr(error.message, "1048576") != NULL);
  options.length = 3;
  options.earlier = 4;
  CHECK(neardup_cut_passages(&input, &options, NULL, &rest, &error) == NEARDUP_INVALID);
}

/* Returns 1 if two columns of passages are equal. */
static int same_column(const neardup_passages* a, const neardup_passages* b, neardup_passage_column column) {
  const size_t size = neardup_passages_size(a) * sizeof(uint32_t);
  return memcmp(neardup_passages_column(a, column), neardup_passages_column(b, column), size) == 0;
}

/* Finds and cuts passages of texts in two parts, in three partitions. The results are those of one call for all texts. */
static void test_passage_shuffle(void) {
  static const char* const contents[5] = {"one two \xc3\xa4 three", "zero one two \xc3\xa4 three four", "two \xc3\xa4 three",
                                          "a b a b a b", "x one two \xc3\xa4"};
  enum { TEXTS = 5, SPLIT = 2, PARTITIONS = 3 };
  neardup_text texts[TEXTS];
  neardup_input all, parts[2];
  neardup_passage_shuffle shuffle;
  neardup_blobs *moved[2] = {NULL, NULL}, *wrong = NULL;
  neardup_blob blobs[2];
  neardup_bytes* bytes = NULL;
  neardup_passages *wanted = NULL, *found = NULL, *joined = NULL, *located = NULL;
  neardup_cut_texts *wanted_rest = NULL, *rest = NULL;
  neardup_passage_view view;
  neardup_error* error = NULL;
  uint32_t columns[5][64], partition;
  uint64_t repeated[1024];
  size_t size = 0, i, part, count = 0;
  memset(&all, 0, sizeof(all));
  memset(parts, 0, sizeof(parts));
  memset(&shuffle, 0, sizeof(shuffle));
  memset(&view, 0, sizeof(view));
  shuffle.passages.length = 2;
  shuffle.partitions = PARTITIONS;
  for (i = 0; i < TEXTS; ++i) texts[i].data = contents[i], texts[i].size = strlen(contents[i]);
  all.texts = texts, all.size = TEXTS;
  parts[0].texts = texts, parts[0].size = SPLIT;
  parts[1].texts = texts + SPLIT, parts[1].size = TEXTS - SPLIT;
  for (part = 0; part < 2; ++part) CHECK_OK(neardup_passage_scatter_anchors(&parts[part], &shuffle, NULL, &moved[part], error));
  for (partition = 0; partition < PARTITIONS; ++partition) {
    for (part = 0; part < 2; ++part) {
      blobs[part].data = neardup_blobs_data(moved[part], partition);
      blobs[part].size = neardup_blobs_size(moved[part], partition);
    }
    CHECK_OK(neardup_passage_repeated_anchors(blobs, 2, &shuffle, partition, &bytes, error));
    CHECK(size + neardup_bytes_size(bytes) <= sizeof(repeated));
    memcpy((char*)repeated + size, neardup_bytes_data(bytes), neardup_bytes_size(bytes));
    size += neardup_bytes_size(bytes);
    neardup_bytes_free(bytes);
    CHECK(neardup_passage_gather(blobs, 2, &shuffle, partition, &found, NULL) == NEARDUP_FAILED ||
          blobs[0].size + blobs[1].size == 0);
  }
  CHECK(neardup_blobs_data(moved[0], PARTITIONS) == NULL && neardup_blobs_size(moved[0], PARTITIONS) == 0);
  for (part = 0; part < 2; ++part) {
    neardup_blobs_free(moved[part]);
    CHECK_OK(neardup_passage_scatter(&parts[part], part * SPLIT, repeated, size, &shuffle, NULL, &moved[part], error));
  }
  CHECK(neardup_passage_scatter(&all, 0, repeated, size - 1, &shuffle, NULL, &wrong, NULL) == NEARDUP_FAILED);
  for (partition = 0; partition < PARTITIONS; ++partition) {
    for (part = 0; part < 2; ++part) {
      blobs[1 - part].data = neardup_blobs_data(moved[part], partition);
      blobs[1 - part].size = neardup_blobs_size(moved[part], partition);
    }
    CHECK_OK(neardup_passage_gather(blobs, 2, &shuffle, partition, &found, error));
    CHECK(neardup_passages_column(found, NEARDUP_PASSAGE_BEGIN_BYTE) == NULL);
    for (i = 0; i < neardup_passages_size(found); ++i, ++count) {
      columns[0][count] = neardup_passages_column(found, NEARDUP_PASSAGE_TEXT)[i];
      columns[1][count] = neardup_passages_column(found, NEARDUP_PASSAGE_BEGIN)[i];
      columns[2][count] = neardup_passages_column(found, NEARDUP_PASSAGE_END)[i];
      columns[3][count] = neardup_passages_column(found, NEARDUP_PASSAGE_FIRST_TEXT)[i];
      columns[4][count] = neardup_passages_column(found, NEARDUP_PASSAGE_FIRST_BEGIN)[i];
    }
    neardup_passages_free(found);
  }
  for (part = 0; part < 2; ++part) neardup_blobs_free(moved[part]);
  view.text = columns[0], view.begin = columns[1], view.end = columns[2];
  view.first_text = columns[3], view.first_begin = columns[4], view.size = count;
  CHECK_OK(neardup_passage_join(&view, &shuffle, &joined, error));
  CHECK_OK(neardup_find_passages(&all, &shuffle.passages, NULL, &wanted, error));
  CHECK(neardup_passages_size(joined) == neardup_passages_size(wanted) && neardup_passages_size(wanted) == 5);
  CHECK(same_column(joined, wanted, NEARDUP_PASSAGE_TEXT) && same_column(joined, wanted, NEARDUP_PASSAGE_FIRST_TEXT));
  view.text = neardup_passages_column(joined, NEARDUP_PASSAGE_TEXT);
  view.begin = neardup_passages_column(joined, NEARDUP_PASSAGE_BEGIN);
  view.end = neardup_passages_column(joined, NEARDUP_PASSAGE_END);
  view.size = neardup_passages_size(joined);
  CHECK_OK(neardup_passage_locate(&all, 0, &view, &shuffle, &located, error));
  for (i = NEARDUP_PASSAGE_TEXT; i <= NEARDUP_PASSAGE_END_BYTE; ++i) {
    CHECK(same_column(located, wanted, (neardup_passage_column)i));
  }
  CHECK(neardup_passages_column(located, NEARDUP_PASSAGE_FIRST_TEXT) == NULL);
  CHECK_OK(neardup_passage_cut(&all, 0, &view, &shuffle, &rest, error));
  CHECK_OK(neardup_cut_passages(&all, &shuffle.passages, NULL, &wanted_rest, error));
  for (i = 0; i <= TEXTS; ++i) {
    CHECK(neardup_cut_texts_offsets(rest)[i] == neardup_cut_texts_offsets(wanted_rest)[i]);
  }
  CHECK(memcmp(neardup_cut_texts_data(rest), neardup_cut_texts_data(wanted_rest),
               (size_t)neardup_cut_texts_offsets(rest)[TEXTS]) == 0);
  neardup_cut_texts_free(rest);
  neardup_cut_texts_free(wanted_rest);
  neardup_passages_free(located);
  neardup_passages_free(joined);
  neardup_passages_free(wanted);
  /* Places that are not in the texts. */
  columns[0][0] = TEXTS, columns[1][0] = 0, columns[2][0] = 2;
  view.text = columns[0], view.begin = columns[1], view.end = columns[2], view.size = 1;
  CHECK(neardup_passage_locate(&all, 0, &view, &shuffle, &located, NULL) == NEARDUP_INVALID);
  CHECK(neardup_passage_cut(&all, 0, &view, &shuffle, &rest, NULL) == NEARDUP_INVALID);
  columns[0][0] = 0, columns[1][0] = 3, columns[2][0] = 5;
  CHECK(neardup_passage_locate(&all, 0, &view, &shuffle, &located, NULL) == NEARDUP_INVALID);
  columns[2][0] = 3;
  CHECK(neardup_passage_cut(&all, 0, &view, &shuffle, &rest, NULL) == NEARDUP_INVALID);
  shuffle.partitions = 4097;
  CHECK(neardup_passage_scatter_anchors(&all, &shuffle, NULL, &wrong, NULL) == NEARDUP_INVALID);
}

/* Tests dictionaries and tables of weights. Damaged files, and arguments that do not fit together, are refused. */
static void test_tables(const char* folder) {
  const char* const words[] = {"研究生命的起源", "研究 of 生命", NULL};
  char path[4096], table[4096];
  neardup_text texts[3];
  neardup_input input;
  neardup_dictionary_files files;
  neardup_dictionary* dictionary = NULL;
  neardup_idf *learnt = NULL, *loaded = NULL;
  neardup_composition made_of;
  neardup_code_options options;
  neardup_codes *codes = NULL, *again = NULL;
  neardup_sets* sets = NULL;
  neardup_error e, *error = &e;
  const char* const same[] = {"numbers", NULL};
  size_t bytes = 0;
  int i;
  memset(&input, 0, sizeof(input));
  memset(&files, 0, sizeof(files));
  memset(&made_of, 0, sizeof(made_of));
  memset(&options, 0, sizeof(options));
  for (i = 0; i < 3; ++i) {
    texts[i].data = words[i];
    texts[i].size = words[i] == NULL ? 0 : strlen(words[i]);
  }
  input.texts = texts;
  input.size = 3;
  snprintf(path, sizeof(path), "%s/c_test_words.txt", folder);
  snprintf(table, sizeof(table), "%s/c_test_idf.txt", folder);
  files.words = path;
  files.no_model = 1;
  write_file(path, "研究 100\n研究生 5\n生命 80\n起源\n");
  CHECK(neardup_dictionary_load(&files, &dictionary, error) == NEARDUP_FAILED);
  CHECK(strstr(e.message, path) != NULL && strstr(e.message, ":4: ") != NULL);
  CHECK(neardup_dictionary_load(NULL, &dictionary, error) == NEARDUP_INVALID && dictionary == NULL);
  made_of.features = "zh:words";
  CHECK_OK(neardup_sets_new(32, &sets, error));
  error = &e;
  CHECK(neardup_sets_add_texts(sets, &made_of, &input, NULL, error) == NEARDUP_INVALID);
  write_file(path, "研究 100\n研究生 5\n生命 80\n起源 60\n的 900\n");
  files.no_model = 0;
  CHECK(neardup_dictionary_load(&files, &dictionary, error) == NEARDUP_FAILED && strstr(e.message, "finalseg") != NULL);
  files.no_model = 1;
  CHECK_OK(neardup_dictionary_load(&files, &dictionary, error));
  CHECK(neardup_dictionary_size(dictionary) == 5);
  made_of.dictionary = dictionary;
  CHECK_OK(neardup_sets_add_texts(sets, &made_of, &input, NULL, error));
  CHECK(neardup_sets_offsets(sets)[1] == 4 && neardup_sets_offsets(sets)[2] == 7);
  made_of.features = "zh:keywords";
  CHECK_OK(neardup_sets_add_texts(sets, &made_of, &input, NULL, error));
  CHECK(neardup_sets_offsets(sets)[4] == 10 && neardup_sets_offsets(sets)[5] == 12);
  CHECK_OK(neardup_tokens(&made_of, texts[1], count_tokens, &bytes, error));
  CHECK(bytes == 12);
  neardup_sets_free(sets);
  CHECK_OK(neardup_idf_learn(&made_of, &input, NULL, &learnt, error));
  CHECK(neardup_idf_size(learnt) == 3);
  CHECK_OK(neardup_idf_save(learnt, table, error));
  CHECK_OK(neardup_idf_load(table, &loaded, error));
  options.weights = "tfidf";
  options.idf = learnt;
  CHECK_OK(neardup_codes_of_texts(&made_of, &options, &input, NULL, &codes, error));
  options.idf = loaded;
  CHECK_OK(neardup_codes_of_texts(&made_of, &options, &input, NULL, &again, error));
  CHECK(neardup_codes_words(codes)[0] == neardup_codes_words(again)[0]);
  neardup_codes_free(codes);
  neardup_codes_free(again);
  error = &e;
  made_of.same = same;
  CHECK(neardup_codes_of_texts(&made_of, &options, &input, NULL, &codes, error) == NEARDUP_INVALID);
  CHECK(neardup_idf_learn(&made_of, &input, NULL, &learnt, error) == NEARDUP_INVALID);
  made_of.same = NULL;
  made_of.features = "words";
  CHECK(neardup_idf_learn(&made_of, &input, NULL, &learnt, error) == NEARDUP_INVALID);
  neardup_idf_free(loaded);
  neardup_idf_free(learnt);
  write_file(table, "one\n");
  CHECK(neardup_idf_load(table, &loaded, error) == NEARDUP_FAILED && strstr(e.message, table) != NULL);
  write_file(table, "");
  CHECK(neardup_idf_load(table, &loaded, error) == NEARDUP_FAILED && strstr(e.message, table) != NULL);
  neardup_dictionary_free(dictionary);
  neardup_dictionary_free(NULL);
  neardup_idf_free(NULL);
}

/* A shuffle with three partitions and two scatters has the same pairs as a join. */
static void test_shuffle(void) {
  static uint32_t features[COUNT * MOST];
  static uint64_t wide[COUNT * MOST];
  static int64_t offsets[COUNT + 1];
  uint64_t documents[COUNT];
  const size_t used = make_sets(features, offsets);
  neardup_error e, *error = &e;
  neardup_sets *sets[2] = {NULL, NULL}, *all = NULL, *a = NULL, *b = NULL;
  neardup_counts *counts = NULL, *parts[2] = {NULL, NULL}, *mapped = NULL;
  neardup_bytes *saved = NULL, *taken[2] = {NULL, NULL};
  neardup_scatter* scatters[2] = {NULL, NULL};
  neardup_pairs* expected = NULL;
  neardup_shuffle shuffle;
  neardup_blob blobs[2];
  int payload, i;
  size_t k;
  uint32_t partition;
  for (k = 0; k < used; ++k) wide[k] = (uint64_t)features[k] << 20;
  for (i = 0; i < COUNT; ++i) documents[i] = 1000 + 3 * (uint64_t)i;
  memset(&shuffle, 0, sizeof(shuffle));
  shuffle.join.similarity = 0.6;
  shuffle.partitions = 3;
  shuffle.all_counted = 1;
  shuffle.identity = 77;
  CHECK_OK(neardup_counts_new(64, used, &counts, error));
  CHECK_OK(neardup_sets_new(64, &all, error));
  CHECK_OK(neardup_sets_add(all, wide, offsets, COUNT, error));
  for (i = 0; i < 2; ++i) {
    CHECK_OK(neardup_sets_new(64, &sets[i], error));
    CHECK_OK(neardup_sets_add(sets[i], wide, offsets + i * COUNT / 2, COUNT / 2, error));
    CHECK_OK(neardup_counts_new(64, used, &parts[i], error));
    CHECK_OK(neardup_counts_add(parts[i], sets[i], error));
    CHECK_OK(neardup_counts_merge(counts, parts[i], error));
  }
  CHECK(neardup_counts_counted(counts) == used);
  CHECK_OK(neardup_counts_save(counts, &saved, error));
  CHECK_OK(neardup_counts_load(64, neardup_bytes_data(saved), neardup_bytes_size(saved), 1, &mapped, error));
  CHECK_OK(neardup_pairs_of_sets(all, NULL, &shuffle.join, NULL, &expected, error));
  for (payload = NEARDUP_MOVE_SETS; payload <= NEARDUP_MOVE_IDS; ++payload) {
    static char found[COUNT][COUNT];
    size_t distinct = 0;
    memset(found, 0, sizeof(found));
    shuffle.payload = (neardup_payload)payload;
    for (i = 0; i < 2; ++i) {
      CHECK_OK(neardup_scatter_new(&shuffle, mapped, &scatters[i], error));
      CHECK_OK(neardup_scatter_add(scatters[i], documents + i * COUNT / 2, sets[i], error));
      CHECK(neardup_scatter_size(scatters[i]) > 0);
    }
    for (partition = 0; partition < 3; ++partition) {
      neardup_document_pairs* pairs = NULL;
      for (i = 0; i < 2; ++i) {
        CHECK_OK(neardup_scatter_take(scatters[i], partition, &taken[i], error));
        blobs[i].data = neardup_bytes_data(taken[i]);
        blobs[i].size = neardup_bytes_size(taken[i]);
      }
      CHECK_OK(neardup_gather(64, blobs, 2, &shuffle, partition, NULL, &pairs, error));
      for (k = 0; k < neardup_document_pairs_size(pairs); ++k) {
        const uint64_t first = (neardup_document_pairs_first(pairs)[k] - 1000) / 3;
        const uint64_t second = (neardup_document_pairs_second(pairs)[k] - 1000) / 3;
        CHECK(first < second && second < COUNT);
        CHECK(payload != NEARDUP_MOVE_SETS || !found[first][second]);
        CHECK(payload != NEARDUP_MOVE_SETS || neardup_document_pairs_similarity(pairs)[k] >= 0.6);
        CHECK(payload != NEARDUP_MOVE_SETS || neardup_document_pairs_common(pairs)[k] > 0);
        distinct += !found[first][second];
        found[first][second] = 1;
      }
      neardup_document_pairs_free(pairs);
      error = &e;
      CHECK(neardup_gather(64, blobs, 2, &shuffle, (partition + 1) % 3, NULL, &pairs, error) == NEARDUP_FAILED);
      for (i = 0; i < 2; ++i) neardup_bytes_free(taken[i]);
    }
    CHECK(payload == NEARDUP_MOVE_SETS ? distinct == neardup_pairs_size(expected)
                                       : distinct >= neardup_pairs_size(expected));
    for (k = 0; k < neardup_pairs_size(expected); ++k) {
      CHECK(found[neardup_pairs_first(expected)[k]][neardup_pairs_second(expected)[k]]);
    }
    for (i = 0; i < 2; ++i) neardup_scatter_free(scatters[i]);
  }
  { /* verifies each set with the next set */
    uint32_t common[COUNT];
    double similarity[COUNT];
    CHECK_OK(neardup_sets_new(64, &a, error));
    CHECK_OK(neardup_sets_new(64, &b, error));
    CHECK_OK(neardup_sets_add(a, wide, offsets, COUNT - 1, error));
    CHECK_OK(neardup_sets_add(b, wide, offsets + 1, COUNT - 1, error));
    CHECK_OK(neardup_verify_sets(a, b, &shuffle.join, common, similarity, error));
    for (i = 0; i + 1 < COUNT; ++i) {
      const uint32_t overlapping = overlap(features, offsets, i, i + 1);
      const double wanted = similarity_of(NEARDUP_JACCARD, (double)(offsets[i + 1] - offsets[i]),
                                          (double)(offsets[i + 2] - offsets[i + 1]), overlapping);
      CHECK(similarity[i] == (wanted >= 0.6 ? wanted : 0) && common[i] == (wanted >= 0.6 ? overlapping : 0));
    }
    error = &e;
    CHECK(neardup_verify_sets(a, all, &shuffle.join, common, similarity, error) == NEARDUP_INVALID);
  }
  error = &e;
  CHECK(neardup_counts_add(mapped, all, error) == NEARDUP_INVALID);
  CHECK(neardup_counts_load(64, neardup_bytes_data(saved), 9, 0, &parts[0], error) == NEARDUP_FAILED);
  CHECK(neardup_scatter_new(&shuffle, NULL, &scatters[0], error) == NEARDUP_INVALID);
  neardup_pairs_free(expected);
  neardup_counts_free(mapped);
  neardup_counts_free(counts);
  neardup_bytes_free(saved);
  neardup_sets_free(all);
  neardup_sets_free(a);
  neardup_sets_free(b);
  for (i = 0; i < 2; ++i) {
    neardup_sets_free(sets[i]);
    neardup_counts_free(parts[i]);
  }
}

static void test_dedup(const char* folder) {
  neardup_text texts[3];
  neardup_input input;
  uint8_t is_new[3];
  uint64_t original[3], now = 5;
  double similarity[3];
  neardup_verdicts verdicts;
  neardup_error e, *error = &e;
  neardup_dedup *dedup = NULL, *again = NULL;
  neardup_composition other;
  int was_kept = 0;
  char path[1000];
  snprintf(path, sizeof(path), "%s/dedup.neardup.log", folder);
  remove(path);
  snprintf(path, sizeof(path), "%s/dedup.neardup", folder);
  remove(path);
  texts[0].data = "a ferry leaves the pier at seven in the morning";
  texts[0].size = strlen(texts[0].data);
  texts[1].data = NULL;
  texts[1].size = 0;
  texts[2] = texts[0];
  memset(&input, 0, sizeof(input));
  memset(&other, 0, sizeof(other));
  other.features = "chars:5";
  input.texts = texts;
  input.size = 3;
  verdicts.is_new = is_new;
  verdicts.original = original;
  verdicts.similarity = similarity;
  CHECK_OK(neardup_dedup_open(path, NULL, NULL, &dedup, error));
  CHECK_OK(neardup_dedup_add(dedup, &input, NULL, &now, NULL, &verdicts, error));
  CHECK(is_new[0] == 1 && is_new[1] == 1 && is_new[2] == 0 && original[2] == 0 && similarity[2] == 1);
  CHECK(neardup_dedup_size(dedup) == 1 && neardup_dedup_added(dedup) == 3 && neardup_dedup_contains(dedup, 0));
  error = &e;
  now = 4;
  CHECK(neardup_dedup_add(dedup, &input, NULL, &now, NULL, &verdicts, error) == NEARDUP_INVALID);
  CHECK(neardup_dedup_open(path, NULL, NULL, &again, error) == NEARDUP_FAILED); /* a second deduplicator of the file is refused */
  CHECK_OK(neardup_dedup_save(dedup, NULL, error));
  neardup_dedup_free(dedup);
  error = &e;
  CHECK(neardup_dedup_load(path, &other, NULL, &again, error) == NEARDUP_INVALID);
  CHECK_OK(neardup_dedup_load(path, NULL, NULL, &again, error));
  CHECK_OK(neardup_dedup_find(again, &input, NULL, &verdicts, error));
  CHECK(is_new[0] == 0 && is_new[1] == 1 && neardup_dedup_added(again) == 3 && neardup_dedup_memory(again) > 0);
  CHECK_OK(neardup_dedup_erase(again, 0, &was_kept, error));
  CHECK(was_kept == 1 && neardup_dedup_size(again) == 0);
  neardup_dedup_free(again);
  CHECK_OK(neardup_dedup_new(NULL, NULL, &again, error));
  error = &e;
  CHECK(neardup_dedup_save(again, NULL, error) == NEARDUP_INVALID);
  neardup_dedup_free(again);
}

/* If a piece finds no room, the call fails, but the pieces before it are added and counted. */
static void test_full(void) {
  enum { MANY = 33000 }; /* more than one piece */
  static char words[MANY][40];
  static neardup_text texts[MANY];
  static uint8_t is_new[MANY];
  static uint64_t original[MANY];
  static double similarity[MANY];
  const neardup_verdicts verdicts = {is_new, original, similarity};
  neardup_dedup_options options;
  neardup_dedup* dedup = NULL;
  neardup_input input;
  neardup_error e, *error = &e;
  int i;
  memset(&options, 0, sizeof(options));
  memset(&input, 0, sizeof(input));
  for (i = 0; i < MANY; ++i) {
    texts[i].size = (size_t)snprintf(words[i], sizeof(words[i]), "u%d v%d w%d x%d", i, i * 3, i * 7, i * 11);
    texts[i].data = words[i];
  }
  input.texts = texts;
  input.size = MANY;
  options.max_documents = 32900;
  options.refuse_when_full = 1;
  CHECK_OK(neardup_dedup_new(NULL, &options, &dedup, error));
  error = &e;
  CHECK(neardup_dedup_add(dedup, &input, NULL, NULL, NULL, &verdicts, &e) == NEARDUP_TOO_LARGE);
  CHECK(neardup_dedup_added(dedup) == 32768 && neardup_dedup_size(dedup) == 32768);
  CHECK(strstr(e.message, "At most: 32900, kept: 32768, new: 232") != NULL);
  input.texts = texts + 32768;
  input.size = MANY - 32768;
  CHECK(neardup_dedup_add(dedup, &input, NULL, NULL, NULL, &verdicts, &e) == NEARDUP_TOO_LARGE);
  CHECK(neardup_dedup_added(dedup) == 32768 && strstr(e.message, "kept: 32768") != NULL);
  input.size = 32900 - 32768;
  CHECK_OK(neardup_dedup_add(dedup, &input, NULL, NULL, NULL, &verdicts, error));
  CHECK(neardup_dedup_size(dedup) == 32900);
  neardup_dedup_free(dedup);
}

/* ---- NULL, and numbers that no enumerator has ----------------------------------------------------------------------- */

int take_nothing(void* context, const char* token, size_t size) {
  (void)context;
  (void)token;
  (void)size;
  return 0;
}
void begin(null_fixture* of, const char* call) {
  memset(&of->error, 0, sizeof(of->error));
  of->call = call;
  if (getenv("NEARDUP_TEST_CALLS") != NULL) printf("%s\n", call), fflush(stdout); /* after a crash, the last line names the call */
}
void expect(null_fixture* of, neardup_status status, const char* wanted) {
  if (wanted == NULL ? status == NEARDUP_OK : status == NEARDUP_INVALID && strcmp(of->error.message, wanted) == 0)
    return;
  ++failures;
  printf("%s is NULL: status %d, '%s', not '%s'\n", of->call, (int)status, of->error.message,
         wanted == NULL ? "" : wanted);
}
void expect_nothing(const char* function, int is_nothing) {
  if (is_nothing) return;
  ++failures;
  printf("%s(NULL) is not 0\n", function);
}

static void make_fixture(null_fixture* of, const char* folder) {
  static const uint32_t features[] = {1, 2, 3, 1, 2, 4};
  static const uint64_t words[] = {1, 3};
  static const neardup_text texts[] = {{"one two three", 13}, {"one two four", 12}};
  static uint8_t is_new[2];
  static uint64_t original[2];
  static double similarity[2];
  static char paths[4][4096];
  static const char* const names[] = {"null.dedup", "null.index", "null_idf.txt", "null.saved"};
  char path[5000];
  neardup_error* error = NULL;
  neardup_code_options options;
  int i;
  memset(of, 0, sizeof(*of));
  memset(&options, 0, sizeof(options));
  for (i = 0; i < 4; ++i) {
    snprintf(paths[i], sizeof(paths[i]), "%s/%s", folder, names[i]);
    remove(paths[i]);
    snprintf(path, sizeof(path), "%s.log", paths[i]);
    remove(path);
    of->ids[i] = (uint64_t)i;
  }
  of->path = paths[0], of->index_path = paths[1], of->idf_path = paths[2], of->dedup_path = paths[3];
  snprintf(path, sizeof(path), "%s/null_words.txt", folder);
  write_file(path, "研究 100\n");
  of->text = texts[0];
  of->input.texts = texts, of->input.size = 2;
  of->features = features, of->offsets[1] = 3, of->offsets[2] = 6;
  of->codes.words = words, of->codes.size = 2, of->codes.bits = 64;
  of->verdicts.is_new = is_new, of->verdicts.original = original, of->verdicts.similarity = similarity;
  CHECK_OK(neardup_sets_new(32, &of->sets, error));
  CHECK_OK(neardup_sets_add(of->sets, features, of->offsets, 2, error));
  CHECK_OK(neardup_texts_new(&of->texts, error));
  CHECK_OK(neardup_texts_add(of->texts, &of->input, NULL, error));
  CHECK_OK(neardup_idf_learn(NULL, &of->input, NULL, &of->idf, error));
  CHECK_OK(neardup_idf_save(of->idf, of->idf_path, error));
  CHECK_OK(neardup_index_new(64, 3, 0, &of->index, error));
  CHECK_OK(neardup_index_save(of->index, of->index_path, NULL, error));
  CHECK_OK(neardup_set_index_new(32, NULL, &of->set_index, error));
  CHECK_OK(neardup_dedup_new(NULL, NULL, &of->dedup, error));
  CHECK_OK(neardup_dedup_save(of->dedup, of->dedup_path, error));
  CHECK_OK(neardup_counts_new(32, 6, &of->counts, error));
  CHECK_OK(neardup_scatter_new(&of->shuffle, of->counts, &of->scatter, error));
}

/* A column of lists without rows. */
static void make_no_lists(neardup_input* input) {
  static struct ArrowSchema schema, value_schema;
  static struct ArrowSchema* schemas[] = {&value_schema};
  static struct ArrowArray lists, values;
  static struct ArrowArray* children[] = {&values};
  static const void* buffers[] = {NULL, NULL};
  make_schema(&schema, "+l");
  make_schema(&value_schema, "I");
  schema.n_children = lists.n_children = 1;
  schema.children = schemas;
  lists.children = children;
  lists.n_buffers = values.n_buffers = 2;
  lists.buffers = values.buffers = buffers;
  lists.release = values.release = release_array;
  input->schema = &schema;
  input->array = &lists;
}

static void test_null_pointers(const char* folder) {
  static null_fixture of;
  static const neardup_text null_text = {NULL, 7};
  char words[5000];
  neardup_error* error = &of.error;
  neardup_bytes* saved = NULL;
  neardup_sets* sets = NULL;
  neardup_pairs* pairs = NULL;
  neardup_matches* matches = NULL;
  neardup_document_pairs* gathered = NULL;
  neardup_codes* codes = NULL;
  neardup_set_index* index = NULL;
  neardup_input input;
  neardup_join join;
  neardup_code_options options;
  neardup_verdicts verdicts;
  neardup_code_view view;
  neardup_shuffle shuffle;
  neardup_blob blob;
  int64_t none[1] = {0};
  size_t bytes = 0, size;
  int wrong;
  make_fixture(&of, folder);
  make_no_lists(&of.lists);
  snprintf(words, sizeof(words), "%s/null_words.txt", folder);
  of.files.words = words, of.files.no_model = 1;
  CHECK_OK(neardup_counts_save(of.counts, &saved, error));
  of.blob.data = neardup_bytes_data(saved), of.blob.size = neardup_bytes_size(saved);
#ifdef NEARDUP_NULL_POINTERS
  call_with_null_pointers(&of);
#endif
  error = &of.error;
  /* Members of structs are NULL. */
  of.files.words = NULL;
  begin(&of, "files.words");
  expect(&of, neardup_dictionary_load(&of.files, (neardup_dictionary**)words, error), "words is NULL");
  memset(&input, 0, sizeof(input));
  size = neardup_sets_size(of.sets);
  input.size = 3;
  begin(&of, "all members of an input");
  expect(&of, neardup_sets_add_texts(of.sets, NULL, &input, NULL, error),
         "3 texts, but texts, array and stream are NULL");
  begin(&of, "all members of an input of lists");
  expect(&of, neardup_sets_add_lists(of.sets, &input, error), "sets come in an array or a stream, not as texts");
  input.size = 0;
  CHECK_OK(neardup_sets_add_texts(of.sets, NULL, &input, NULL, error));
  begin(&of, "the array of a schema");
  error = &of.error;
  expect(&of, neardup_sets_add_lists(of.sets, &input, error), "no sets, no array and no stream are given");
  CHECK(neardup_sets_size(of.sets) == size);
  input.texts = &null_text, input.size = 1;
  CHECK_OK(neardup_sets_add_texts(of.sets, NULL, &input, NULL, error));
  CHECK(neardup_sets_nulls(of.sets) == 1 && neardup_sets_size(of.sets) == size + 1);
  CHECK(neardup_sets_offsets(of.sets)[size + 1] == neardup_sets_offsets(of.sets)[size]);
  CHECK_OK(neardup_tokens(NULL, null_text, count_tokens, &bytes, error));
  CHECK(bytes == 0);
  error = &of.error;
  for (wrong = 0; wrong < 3; ++wrong) {
    static const char* const names[] = {"is_new is NULL", "original is NULL", "similarity is NULL"};
    const uint64_t added = neardup_dedup_added(of.dedup);
    verdicts = of.verdicts;
    if (wrong == 0) verdicts.is_new = NULL;
    if (wrong == 1) verdicts.original = NULL;
    if (wrong == 2) verdicts.similarity = NULL;
    begin(&of, names[wrong]);
    expect(&of, neardup_dedup_add(of.dedup, &of.input, NULL, NULL, NULL, &verdicts, error), names[wrong]);
    expect(&of, neardup_dedup_find(of.dedup, &of.input, NULL, &verdicts, error), names[wrong]);
    CHECK(neardup_dedup_added(of.dedup) == added);
  }
  view = of.codes;
  view.words = NULL;
  begin(&of, "words of codes");
  expect(&of, neardup_near_pairs(&view, NULL, 3, 0, NULL, &pairs, error), "words is NULL");
  expect(&of, neardup_near_pairs(&of.codes, &view, 3, 0, NULL, &pairs, error), "words is NULL");
  expect(&of, neardup_cluster(&view, 3, NULL, of.positions, error), "words is NULL");
  expect(&of, neardup_index_insert(of.index, &view, of.ids, &of.changed, error), "words is NULL");
  expect(&of, neardup_index_search(of.index, &view, 3, NULL, &matches, error), "words is NULL");
  blob.data = NULL, blob.size = 8;
  begin(&of, "data of a blob");
  expect(&of, neardup_gather(32, &blob, 1, &of.shuffle, 0, NULL, &gathered, error), "data is NULL");
  begin(&of, "features of sets");
  expect(&of, neardup_sets_add(of.sets, NULL, of.offsets, 2, error), "features is NULL");
  /* An array of no elements may be NULL. */
  CHECK_OK(neardup_sets_new(32, &sets, error));
  CHECK_OK(neardup_sets_add(sets, NULL, NULL, 0, error));
  CHECK_OK(neardup_verify(sets, NULL, NULL, NULL, 0, NULL, NULL, &pairs, error));
  CHECK_OK(neardup_group(sets, NULL, NULL, NULL, error));
  CHECK_OK(neardup_set_index_insert(of.set_index, sets, NULL, NULL, &of.changed, error));
  CHECK_OK(neardup_scatter_add(of.scatter, NULL, sets, error));
  CHECK_OK(neardup_verify_sets(sets, sets, NULL, NULL, NULL, error));
  CHECK_OK(neardup_sets_add(sets, NULL, none, 0, error));
  view.size = 0;
  CHECK_OK(neardup_cluster(&view, 3, NULL, NULL, error));
  neardup_pairs_free(pairs);
  /* C allows numbers that no enumerator has. */
  error = &of.error;
  for (wrong = -1; wrong < 1000; wrong = wrong < 0 ? 3 : wrong + 500) {
    memset(&join, 0, sizeof(join));
    memset(&options, 0, sizeof(options));
    memset(&shuffle, 0, sizeof(shuffle));
    memcpy(&join.measure, &wrong, sizeof(wrong));
    memcpy(&options.kind, &wrong, sizeof(wrong));
    memcpy(&shuffle.payload, &wrong, sizeof(wrong));
    CHECK(neardup_pairs_of_sets(of.sets, NULL, &join, NULL, &pairs, error) == NEARDUP_INVALID);
    CHECK(strncmp(of.error.message, "there is no measure ", 20) == 0);
    CHECK(neardup_pairs_of_texts(of.texts, NULL, &join, NULL, &pairs, error) == NEARDUP_INVALID);
    CHECK(neardup_set_index_new(32, &join, &index, error) == NEARDUP_INVALID);
    CHECK(neardup_codes_of_texts(NULL, &options, &of.input, NULL, &codes, error) == NEARDUP_INVALID);
    CHECK(strncmp(of.error.message, "there is no kind of codes ", 26) == 0);
    CHECK(neardup_gather(32, NULL, 0, &shuffle, 0, NULL, &gathered, error) == NEARDUP_INVALID);
    CHECK(strncmp(of.error.message, "there is no payload ", 20) == 0);
  }
  /* Numbers below 0 are refused. Only -1 stands for the k of the index. */
  CHECK(neardup_index_search(of.index, &of.codes, -2, NULL, &matches, error) == NEARDUP_INVALID);
  CHECK(neardup_near_pairs(&of.codes, NULL, -1, 0, NULL, &pairs, error) == NEARDUP_INVALID);
  CHECK(neardup_cluster(&of.codes, -1, NULL, of.positions, error) == NEARDUP_INVALID);
  CHECK(neardup_index_new(64, 3, -1, &of.index, error) == NEARDUP_INVALID);
  CHECK(neardup_index_new(64, -1, 0, &of.index, error) == NEARDUP_INVALID);
  neardup_sets_free(sets);
  neardup_bytes_free(saved);
  neardup_sets_free(of.sets);
  neardup_texts_free(of.texts);
  neardup_idf_free(of.idf);
  neardup_index_free(of.index);
  neardup_set_index_free(of.set_index);
  neardup_dedup_free(of.dedup);
  neardup_scatter_free(of.scatter);
  neardup_counts_free(of.counts);
}

/* The limit of bytes holds after each call. Adding texts one by one takes as long as one call for all. */
static void test_many_calls(void) {
  enum { TEXTS = 5000 };
  static char written[TEXTS][64];
  static neardup_text all[TEXTS];
  static uint8_t is_new[TEXTS];
  static uint64_t original[TEXTS];
  static double similarity[TEXTS];
  const neardup_verdicts verdicts = {is_new, original, similarity};
  const size_t sizes[] = {1, 70, TEXTS};
  size_t i, size, first;
  neardup_error e, *error = &e;
  for (i = 0; i < 3; ++i) {
    neardup_dedup* dedup = NULL;
    neardup_texts* texts = NULL;
    neardup_dedup_options options;
    memset(&options, 0, sizeof(options));
    options.max_bytes = 500000;
    CHECK_OK(neardup_dedup_new(NULL, &options, &dedup, error));
    CHECK_OK(neardup_texts_new(&texts, error));
    for (first = 0; first < TEXTS; first += size) {
      neardup_input input;
      size_t j;
      memset(&input, 0, sizeof(input));
      size = sizes[i] < TEXTS - first ? sizes[i] : TEXTS - first;
      for (j = first; j < first + size; ++j) {
        all[j].size = (size_t)sprintf(written[j], "u%lu v%lu w%lu x%lu", (unsigned long)j, (unsigned long)j * 3,
                                      (unsigned long)j * 7, (unsigned long)j * 11);
        all[j].data = written[j];
      }
      input.texts = all + first;
      input.size = size;
      CHECK_OK(neardup_dedup_add(dedup, &input, NULL, NULL, NULL, &verdicts, error));
      CHECK(neardup_dedup_memory(dedup) <= 500000);
      CHECK_OK(neardup_texts_add(texts, &input, NULL, error));
    }
    CHECK(neardup_texts_size(texts) == TEXTS && neardup_dedup_added(dedup) == TEXTS);
    CHECK(neardup_dedup_size(dedup) > 1000 && neardup_dedup_contains(dedup, TEXTS - 1));
    neardup_texts_free(texts);
    neardup_dedup_free(dedup);
  }
  { /* A large batch fills the available room, and is then refused. */
    neardup_dedup* dedup = NULL;
    neardup_dedup_options options;
    neardup_input input;
    memset(&options, 0, sizeof(options));
    options.max_bytes = 500000;
    options.refuse_when_full = 1;
    memset(&input, 0, sizeof(input));
    input.texts = all;
    input.size = TEXTS;
    CHECK_OK(neardup_dedup_new(NULL, &options, &dedup, error));
    CHECK(neardup_dedup_add(dedup, &input, NULL, NULL, NULL, &verdicts, &e) == NEARDUP_TOO_LARGE);
    CHECK(neardup_dedup_size(dedup) > 1000 && neardup_dedup_size(dedup) == neardup_dedup_added(dedup));
    neardup_dedup_free(dedup);
  }
}

int main(int count, char** arguments) {
  if (count != 2) {
    printf("usage: c_test FOLDER, in which it writes files\n");
    return 2;
  }
  CHECK(strchr(neardup_version(), '.') != NULL);
  test_joins();
  test_texts();
  test_errors();
  test_pairs_of_a_caller();
  test_arrow();
  test_index(arguments[1]);
  test_set_index();
  test_edits();
  test_passages();
  test_passage_shuffle();
  test_tables(arguments[1]);
  test_shuffle();
  test_dedup(arguments[1]);
  test_full();
  test_null_pointers(arguments[1]);
  test_many_calls();
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
