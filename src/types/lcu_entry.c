/* lcu_entry.c: reads kernel headers of PTX (PTX ISA, section 5.4.1 ".entry" and 5.1.6 ".param")
 * without parsing the rest. */
#include "lcu_entry.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PARAMS 32768
#define MAX_BYTES 32768 /* of one parameter; PTX ISA, 4.2: at most 32764 for all of them */

static const char *skip_blank (const char *s) {
  for (;;) {
    while (isspace((unsigned char)*s)) s++;
    if (s[0] == '/' && s[1] == '/') s += strcspn(s, "\n");
    else if (s[0] == '/' && s[1] == '*') {
      const char *end = strstr(s, "*/");
      s = end != NULL ? end + 2 : s + strlen(s);
    } else return s;
  }
}

static bool is_word (char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static size_t word_length (const char *s) {
  size_t n = 0;
  while (is_word(s[n])) n++;
  return n;
}

/* The text after the string that starts at `s`; a string ends with its line. */
static const char *skip_string (const char *s) {
  for (s++; *s && *s != '\n' && *s != '"'; s++)
    if (s[0] == '\\' && s[1] && s[1] != '\n') s++;
  return *s == '"' ? s + 1 : s;
}

/* The text after the string, the blanks and comments, or the character at `s`. */
static const char *skip_piece (const char *s) {
  if (*s == '"') return skip_string(s);
  const char *next = skip_blank(s);
  return next > s ? next : s + 1;
}

/* The text after the next ".entry" outside comments and strings; NULL after the last one. */
static const char *next_entry (const char *s) {
  while (*(s += strcspn(s, "./\""))) {
    if (strncmp(s, ".entry", 6) == 0 && !is_word(s[6])) return s + 6;
    s = skip_piece(s);
  }
  return NULL;
}

/* The first of these signs outside comments and strings, or the end. */
static const char *find_sign (const char *s, const char *signs) {
  while (*s && strchr(signs, *s) == NULL) s = skip_piece(s);
  return s;
}

/* Does a body follow the head at `s`, or the ';' of a declaration (`.extern .entry k ( ... );`, of
 * a kernel that another module defines)? A ".pragma" has a ';' of its own. */
static bool has_body (const char *s) {
  while (*(s = find_sign(s, ".{;")) == '.') {
    if (strncmp(s, ".pragma", 7) == 0) s = find_sign(s, ";");
    if (*s) s++;
  }
  return *s != ';';
}

static const lcu_dtype *ptx_dtype (const char *type, size_t len) {
  static const struct {
    const char *name;
    lcu_dtype_id id;
  } types[] = {
    { "u8", LCU_UINT8 },    { "s8", LCU_INT8 },     { "b8", LCU_UINT8 },    { "u16", LCU_UINT16 },
    { "s16", LCU_INT16 },   { "b16", LCU_UINT16 },  { "u32", LCU_UINT32 },  { "s32", LCU_INT32 },
    { "b32", LCU_UINT32 },  { "u64", LCU_UINT64 },  { "s64", LCU_INT64 },   { "b64", LCU_UINT64 },
    { "f16", LCU_FLOAT16 }, { "f32", LCU_FLOAT32 }, { "f64", LCU_FLOAT64 },
  };
  for (size_t i = 0; i < lcu_arraylen(types); i++)
    if (strlen(types[i].name) == len && memcmp(types[i].name, type, len) == 0)
      return &lcu_dtypes[types[i].id];
  return NULL;
}

/* Reads a number of 1 to `most` after blanks; NULL: none. */
static const char *read_number (const char *s, uint32_t most, uint32_t *out) {
  char *end;
  s = skip_blank(s);
  if (!isdigit((unsigned char)*s)) return NULL;
  unsigned long v = strtoul(s, &end, 0);
  *out = (uint32_t)v;
  return v >= 1 && v <= most ? end : NULL;
}

/* Directives of one ".param": ".align 8 .b8", ".u64 .ptr .global .align 1". The first type counts.
 * NULL: unreadable. */
static const char *read_directives (const char *s, lcu_entry_param *out) {
  for (s = skip_blank(s); *s == '.'; s = skip_blank(s)) {
    size_t n = word_length(++s);
    if (n == 5 && memcmp(s, "align", 5) == 0) {
      uint32_t align;
      s = read_number(s + 5, MAX_BYTES, &align);
      if (s == NULL || (align & (align - 1)) != 0) return NULL;
      if (!out->pointer) out->align = align; /* after .ptr the alignment is that of the target */
      continue;
    }
    out->pointer = out->pointer || (n == 3 && memcmp(s, "ptr", 3) == 0);
    if (out->dtype == NULL) out->dtype = ptx_dtype(s, n);
    s += n;
  }
  return s;
}

/* One ".param ... name" or ".param ... name[size]"; NULL: neither. */
static const char *read_param (const char *s, lcu_entry_param *out) {
  memset(out, 0, sizeof *out);
  if (strncmp(s, ".param", 6) != 0) return NULL;
  s = read_directives(s + 6, out);
  size_t n = s != NULL ? word_length(s) : 0;
  if (n == 0 || out->dtype == NULL) return NULL;
  out->size = out->dtype->size;
  s = skip_blank(s + n);
  if (*s == '[') {
    uint32_t count;
    s = read_number(s + 1, MAX_BYTES / out->size, &count);
    if (s == NULL || *(s = skip_blank(s)) != ']') return NULL;
    out->size *= count;
    out->dtype = NULL;
    s++;
  }
  if (out->align == 0) out->align = out->dtype != NULL ? out->dtype->size : 1;
  return skip_blank(s);
}

/* "( .param ..., ... )" or nothing; appends to `list`. False: unreadable. */
static bool read_params (const char *s, lcu_buf *list) {
  if (*s != '(') return true;
  for (s = skip_blank(s + 1); *s != ')'; s = *s == ',' ? skip_blank(s + 1) : s) {
    lcu_entry_param p;
    s = read_param(s, &p);
    if (s == NULL || (*s != ',' && *s != ')') || list->len / sizeof p == MAX_PARAMS) return false;
    lcu_buf_add(list, &p, sizeof p);
  }
  return true;
}

/* Moves the contents of a buffer into the arena. NULL: it is empty, or out of memory, which marks
 * it as failed. */
static void *settle (lcu_arena *a, lcu_buf *b) {
  void *p = b->len > 0 && !b->failed ? lcu_arena_alloc(a, b->len) : NULL;
  if (p != NULL) memcpy(p, b->data, b->len);
  else b->failed = b->failed || b->len > 0;
  return p;
}

/* The kernel whose name starts at `s`. */
static bool read_entry (lcu_arena *a, const char *s, lcu_entry *out) {
  lcu_buf params = { 0 };
  size_t n = word_length(s);
  out->name = lcu_arena_strndup(a, s, n);
  out->readable = read_params(skip_blank(s + n), &params);
  if (out->readable) {
    out->num_params = params.len / sizeof *out->params;
    out->params = settle(a, &params);
  }
  bool ok = out->name != NULL && !params.failed;
  lcu_buf_free(&params);
  return ok;
}

lcu_status lcu_entries_read (const char *ptx, lcu_entries *out) {
  lcu_buf list = { 0 };
  memset(out, 0, sizeof *out);
  for (const char *s = ptx; (s = next_entry(s)) != NULL && !list.failed;) {
    lcu_entry e = { 0 };
    s = skip_blank(s);
    if (!is_word(*s) || !has_body(s)) continue;
    if (read_entry(&out->arena, s, &e)) lcu_buf_add(&list, &e, sizeof e);
    else list.failed = true;
  }
  out->num = list.len / sizeof *out->list;
  out->list = settle(&out->arena, &list);
  bool failed = list.failed;
  lcu_buf_free(&list);
  if (!failed) return LCU_OK;
  lcu_entries_free(out);
  return lcu_no_memory("the entry points of PTX");
}

const lcu_entry *lcu_entries_find (const lcu_entries *e, const char *name) {
  for (size_t i = 0; i < e->num; i++)
    if (e->list[i].readable && strcmp(e->list[i].name, name) == 0) return &e->list[i];
  return NULL;
}

void lcu_entries_free (lcu_entries *e) {
  lcu_arena_free(&e->arena);
  memset(e, 0, sizeof *e);
}
