/* lcul_csv.c: rows of text files: core.csv_fields, core.csv_numbers and core.csv_text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lcu_csv.h"
#include "lcu_locale.h"
#include "lcul_box.h"
#include "lcul_dtype.h"
#include "lcul_error.h"
#include "lcul_scalar.h"
#include "lcul_set.h"

/* Arguments: text, position (from 1), number of the line there, delimiter, comment ("": none). */
static lcu_csv reader_arg (lua_State *L) {
  size_t len;
  const char *text = luaL_checklstring(L, 1, &len);
  lua_Integer at = luaL_checkinteger(L, 2);
  luaL_argcheck(L, at >= 1 && (size_t)at <= len + 1, 2, "no such position");
  return (lcu_csv){ .at = text + at - 1,
                    .end = text + len,
                    .line = (uint64_t)luaL_checkinteger(L, 3),
                    .delimiter = *luaL_checkstring(L, 4),
                    .comment = *luaL_checkstring(L, 5) };
}

/* Pushes nil and "line 3, field 2: why". */
static int refuse_field (lua_State *L, uint64_t line, uint64_t field, const char *why) {
  luaL_pushfail(L);
  lua_pushfstring(L, "line %I, field %I: %s", (LUAI_UACINT)line, (LUAI_UACINT)field, why);
  return 2;
}

static const char *why_broken (lcu_csv_end end) {
  return end == LCU_CSV_OPEN ? "a quote that is not closed" : "text behind a closing quote";
}

/* Pushes the text of a field with single quotes. */
static void push_field (lua_State *L, const lcu_csv_field *f) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (size_t i = 0; i < f->len; i++) {
    luaL_addchar(&b, f->text[i]);
    if (f->doubled && f->text[i] == '"') i++;
  }
  luaL_pushresult(&b);
}

/* core.csv_fields(text, at, line, delimiter, comment) -> the fields of the next row, its line, the
 * position after it and the line there; nothing at the end; nil and why. */
static int core_csv_fields (lua_State *L) {
  lcu_csv c = reader_arg(L);
  const char *text = lua_tostring(L, 1);
  lua_Integer n = 0;
  if (!lcu_csv_next(&c)) return 0;
  uint64_t line = c.line;
  lua_newtable(L);
  for (lcu_csv_end end = LCU_CSV_MORE; end == LCU_CSV_MORE;) {
    lcu_csv_field f;
    end = lcu_csv_read(&c, &f);
    if (end > LCU_CSV_ROW_END) return refuse_field(L, line, (uint64_t)n + 1, why_broken(end));
    push_field(L, &f);
    lua_rawseti(L, -2, ++n);
  }
  lua_pushinteger(L, (lua_Integer)line);
  lua_pushinteger(L, c.at - text + 1);
  lua_pushinteger(L, (lua_Integer)c.line);
  return 4;
}

typedef struct word {
  const char *text;
  size_t len;
} word;

/* What core.csv_numbers reads. */
typedef struct table {
  lcu_csv c;
  const lcu_dtype *t;
  bool exact;                /* refuse integers that the dtype would round? */
  size_t width, taken;       /* fields of a row, and those of them that are read */
  const uint32_t *places;    /* their numbers, from 0 */
  const bool *needed;        /* for each field: is it read? */
  char *row;                 /* the elements of a row */
  const word *words;         /* fields that mean a missing value, also if they are numbers */
  size_t num_words, longest; /* word, in bytes */
  lcu_buf *out;
  char why[200];
} table;

static bool is_missing (const table *r, const lcu_csv_field *f) {
  if (f->len > r->longest) return false;
  for (size_t i = 0; i < r->num_words; i++)
    if (r->words[i].len == f->len && memcmp(r->words[i].text, f->text, f->len) == 0) return true;
  return false;
}

static bool complain (table *r, const lcu_csv_field *f, const char *what) {
  int len = f->len < 40 ? (int)f->len : 40;
  snprintf(r->why, sizeof r->why, "'%.*s'%s %s", len, f->text, f->len > 40 ? "..." : "", what);
  return false;
}

/* "inf" and "infinity"; no number ends in these letters. */
static bool names_infinity (const lcu_csv_field *f) {
  return strchr("fFyY", f->text[f->len - 1]) != NULL;
}

/* Is the field an integer that differs from `held`? */
static bool rounds_integer (const lcu_csv_field *f, double held) {
  bool negative;
  uint64_t magnitude;
  size_t whole = lcu_csv_whole(f->text, f->len);
  if (whole == 0) return false;
  if (!lcu_csv_integer(f->text, whole, &negative, &magnitude)) return true;
  held = fabs(held);
  return held >= 0x1p64 || (uint64_t)held != magnitude;
}

static bool store_float (table *r, const lcu_csv_field *f, char *out) {
  lcu_scalar v = { 0 }, back;
  bool missing = is_missing(r, f);
  if (missing) v.d = (double)NAN;
  else if (!lcu_csv_double(f->text, f->len, &v.d)) return complain(r, f, "is not a number");
  lcu_dtype_store(r->t, out, &v);
  if (missing) return true;
  lcu_dtype_load(r->t, out, &back);
  bool lost = isnan(back.d) && !isnan(v.d);
  if (lost || (isinf(back.d) && !names_infinity(f)))
    return complain(r, f, "does not fit the dtype");
  if (!r->exact || !rounds_integer(f, back.d)) return true;
  return complain(r, f,
                  "is an integer that float32, the default, cannot hold; give option 'dtype', such "
                  "as \"int64\" or \"float64\"");
}

static bool store_integer (table *r, const lcu_csv_field *f, char *out) {
  bool negative;
  uint64_t magnitude, most = UINT64_MAX >> (64 - 8 * r->t->size);
  if (is_missing(r, f))
    return complain(r, f, "is missing, for which only floats have a value (NaN)");
  if (!lcu_csv_integer(f->text, f->len, &negative, &magnitude))
    return complain(r, f, "is not an integer of 64 bits");
  if (r->t->kind == LCU_KIND_INT) most = most / 2 + negative;
  else if (negative) most = 0;
  if (magnitude > most) return complain(r, f, "does not fit the dtype");
  lcu_scalar v = { .i = (int64_t)(negative ? 0 - magnitude : magnitude) };
  lcu_dtype_store(r->t, out, &v);
  return true;
}

static bool store (table *r, const lcu_csv_field *f, char *out) {
  return r->t->kind == LCU_KIND_FLOAT ? store_float(r, f, out) : store_integer(r, f, out);
}

static bool wrong_width (table *r, size_t have) {
  snprintf(r->why, sizeof r->why, "the row %s, and the first one has %zu field%s",
           have > r->width ? "goes on" : "ends here", r->width, r->width == 1 ? "" : "s");
  return false;
}

/* Reads a row; *field is the number of the field that cannot be read. */
static bool read_row (table *r, size_t *field) {
  lcu_csv_end end = LCU_CSV_MORE;
  for (*field = 1; end == LCU_CSV_MORE; ++*field) {
    lcu_csv_field f;
    size_t i = *field - 1;
    if (i >= r->width) return wrong_width(r, *field);
    end = lcu_csv_read(&r->c, &f);
    if (end > LCU_CSV_ROW_END) {
      snprintf(r->why, sizeof r->why, "%s", why_broken(end));
      return false;
    }
    if (r->needed[i] && !store(r, &f, r->row + i * r->t->size)) return false;
  }
  --*field;
  return *field == r->width || wrong_width(r, *field);
}

static bool keep_row (table *r) {
  size_t size = r->t->size;
  char *out = lcu_buf_space(r->out, r->taken * size);
  for (size_t k = 0; out != NULL && k < r->taken; k++)
    memcpy(out + k * size, r->row + r->places[k] * size, size);
  return out != NULL;
}

/* The list of integers at idx: columns from 1 to width. */
static void read_places (lua_State *L, int idx, table *r, uint32_t *places, bool *needed) {
  for (size_t k = 0; k < r->taken; k++) {
    lua_rawgeti(L, idx, (lua_Integer)k + 1);
    places[k] = (uint32_t)(lua_tointeger(L, -1) - 1);
    lua_pop(L, 1);
    if (places[k] < r->width) needed[places[k]] = true;
    else luaL_argerror(L, idx, "no such column");
  }
}

/* The list of strings at idx, which keeps their texts. */
static void read_words (lua_State *L, int idx, table *r) {
  size_t n = (size_t)lua_rawlen(L, idx);
  word *words = lcul_scratch(L, n * sizeof *words);
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, idx, (lua_Integer)i + 1);
    luaL_checktype(L, -1, LUA_TSTRING); /* the table does not keep the text of a number */
    words[i].text = lua_tolstring(L, -1, &words[i].len);
    if (words[i].len > r->longest) r->longest = words[i].len;
    lua_pop(L, 1);
  }
  r->words = words;
  r->num_words = n;
}

/* core.csv_numbers(text, at, line, delimiter, comment, dtype, width, columns, missing words,
 * exact) -> bytes, number of rows; nil and why. */
static int core_csv_numbers (lua_State *L) {
  table r = { .c = reader_arg(L) };
  lua_Integer rows = 0;
  size_t field;
  lua_settop(L, 10);
  r.t = lcul_dtype_check(L, 6);
  lua_Integer width = luaL_checkinteger(L, 7);
  luaL_argcheck(L, width >= 0 && width <= INT32_MAX, 7, "out of range");
  bool number =
    r.t->kind == LCU_KIND_FLOAT || r.t->kind == LCU_KIND_INT || r.t->kind == LCU_KIND_UINT;
  luaL_argcheck(L, number, 6, "real numbers expected");
  luaL_checktype(L, 8, LUA_TTABLE);
  luaL_checktype(L, 9, LUA_TTABLE);
  r.width = (size_t)width;
  r.taken = (size_t)lua_rawlen(L, 8);
  uint32_t *places = lcul_scratch(L, r.taken * sizeof *places);
  bool *needed = memset(lcul_scratch(L, r.width), 0, r.width);
  r.row = memset(lcul_scratch(L, r.width * r.t->size), 0, r.width * r.t->size);
  r.places = places;
  r.needed = needed;
  read_places(L, 8, &r, places, needed);
  read_words(L, 9, &r);
  r.exact = lua_toboolean(L, 10);
  r.out = lcul_newbuffer(L);
  for (; lcu_csv_next(&r.c); rows++) {
    uint64_t line = r.c.line;
    if (!read_row(&r, &field)) return refuse_field(L, line, field, r.why);
    if (!keep_row(&r)) lcul_status(L, lcu_no_memory("%lld rows of text", (long long)rows));
  }
  lua_pushlstring(L, r.out->data != NULL ? r.out->data : "", r.out->len);
  lcu_buf_free(r.out);
  lua_pushinteger(L, rows);
  return 2;
}

/* core.csv_text(bytes, dtype, width, delimiter) -> the elements as text, `width` in a line */
static int core_csv_text (lua_State *L) {
  size_t len;
  const char *bytes = luaL_checklstring(L, 1, &len), *delimiter = luaL_checkstring(L, 4);
  const lcu_dtype *t = lcul_dtype_check(L, 2);
  lua_Integer width = luaL_checkinteger(L, 3), n = (lua_Integer)(len / t->size);
  luaL_argcheck(L, width > 0, 3, "out of range");
  luaL_argcheck(L, t->kind != LCU_KIND_STRUCT, 2, "numbers expected");
  lcu_buf *out = lcul_newbuffer(L);
  void *before = lcu_locale_enter();
  for (lua_Integer i = 0; i < n; i++) {
    char text[64];
    int used = lcul_scalar_text(t, bytes + (size_t)i * t->size, text, sizeof text);
    text[used] = (i + 1) % width == 0 ? '\n' : *delimiter;
    lcu_buf_add(out, text, (size_t)used + 1);
  }
  lcu_locale_leave(before);
  if (out->failed) lcul_status(L, lcu_no_memory("the text of %lld numbers", (long long)n));
  lua_pushlstring(L, out->data != NULL ? out->data : "", out->len);
  lcu_buf_free(out);
  return 1;
}

void lcul_open_csv (lua_State *L) {
  static const luaL_Reg functions[] = { { "csv_fields", core_csv_fields },
                                        { "csv_numbers", core_csv_numbers },
                                        { "csv_text", core_csv_text },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
