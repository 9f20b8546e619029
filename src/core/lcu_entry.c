/* lcu_entry.c: reads kernel headers of PTX (PTX ISA, section 5.4.1 ".entry" and 5.1.6 ".param") without a parser of the whole. */
#include "lcu_entry.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PARAMS 4096

static const char *skip_blank (const char *s) {
  for (;;) {
    while (isspace((unsigned char)*s)) s++;
    if (s[0] == '/' && s[1] == '/') s += strcspn(s, "\n");
    else if (s[0] == '/' && s[1] == '*') {
      const char *end = strstr(s, "*/");
      s = end ? end + 2 : s + strlen(s);
    } else return s;
  }
}

static bool is_word (char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

static size_t word_length (const char *s) {
  size_t n = 0;
  while (is_word(s[n])) n++;
  return n;
}

/* The next ".entry" that is not commented out by "//"; NULL behind the last. */
static const char *next_entry (const char *ptx, const char *from) {
  for (const char *s = from; (s = strstr(s, ".entry")) != NULL; s += 6) {
    const char *line = s;
    while (line > ptx && line[-1] != '\n') line--;
    const char *comment = strstr(line, "//");
    if ((!comment || comment > s) && isspace((unsigned char)s[6])) return s + 6;
  }
  return NULL;
}

static const lcu_dtype *ptx_dtype (const char *type, size_t len) {
  static const struct { const char *name; lcu_dtype_id id; } types[] = {
    {"u8", LCU_UINT8}, {"s8", LCU_INT8}, {"b8", LCU_UINT8}, {"u16", LCU_UINT16}, {"s16", LCU_INT16}, {"b16", LCU_UINT16},
    {"u32", LCU_UINT32}, {"s32", LCU_INT32}, {"b32", LCU_UINT32}, {"u64", LCU_UINT64}, {"s64", LCU_INT64}, {"b64", LCU_UINT64},
    {"f16", LCU_FLOAT16}, {"f32", LCU_FLOAT32}, {"f64", LCU_FLOAT64},
  };
  for (size_t i = 0; i < lcu_arraylen(types); i++)
    if (strlen(types[i].name) == len && memcmp(types[i].name, type, len) == 0) return &lcu_dtypes[types[i].id];
  return NULL;
}

/* Directives of one ".param": ".align 8 .b8", ".u64 .ptr .global .align 1". The first type decides. */
static const char *read_directives (const char *s, lcu_entry_param *out) {
  bool pointer = false;
  for (s = skip_blank(s); *s == '.'; s = skip_blank(s)) {
    size_t n = word_length(++s);
    if (n == 5 && memcmp(s, "align", 5) == 0) {
      char *end;
      unsigned long v = strtoul(s + 5, &end, 10);
      if (!pointer) out->align = (uint32_t)v;       /* behind .ptr it speaks of the target */
      s = end;
      continue;
    }
    pointer = pointer || (n == 3 && memcmp(s, "ptr", 3) == 0);
    if (!out->dtype) out->dtype = ptx_dtype(s, n);
    s += n;
  }
  return s;
}

/* One ".param ... name" or ".param ... name[size]"; NULL when it reads like neither. */
static const char *read_param (const char *s, lcu_entry_param *out) {
  memset(out, 0, sizeof *out);
  if (strncmp(s, ".param", 6) != 0) return NULL;
  s = read_directives(s + 6, out);
  size_t n = word_length(s);
  if (n == 0 || !out->dtype) return NULL;
  out->size = out->dtype->size;
  s = skip_blank(s + n);
  if (*s == '[') {
    char *end;
    out->size *= (uint32_t)strtoul(s + 1, &end, 10);
    out->dtype = NULL;
    s = skip_blank(end);
    if (*s++ != ']') return NULL;
  }
  if (out->align == 0) out->align = out->dtype ? out->dtype->size : 1;
  return skip_blank(s);
}

/* "( .param ..., ... )" or nothing. False: unreadable. */
static bool read_params (lcu_entries *e, const char *s, lcu_entry *out) {
  lcu_buf list = {0};
  bool ok = true;
  if (*s == '(') {
    for (s = skip_blank(s + 1); ok && *s != ')'; s = *s == ',' ? skip_blank(s + 1) : s) {
      lcu_entry_param p;
      s = read_param(s, &p);
      ok = s && (*s == ',' || *s == ')') && out->num_params < MAX_PARAMS;
      if (ok) lcu_buf_add(&list, &p, sizeof p);
      out->num_params++;
      if (!ok) break;
    }
  }
  if (ok && !list.failed && list.len > 0) {
    void *copy = lcu_arena_alloc(&e->arena, list.len);
    if (copy) memcpy(copy, list.data, list.len);
    out->params = copy;
    ok = copy != NULL;
  }
  ok = ok && !list.failed;
  lcu_buf_free(&list);
  return ok;
}

lcu_status lcu_entries_read (const char *ptx, lcu_entries *out) {
  lcu_buf list = {0};
  memset(out, 0, sizeof *out);
  for (const char *s = ptx; (s = next_entry(ptx, s)) != NULL; ) {
    lcu_entry e = {0};
    s = skip_blank(s);
    size_t n = word_length(s);
    e.name = lcu_arena_strndup(&out->arena, s, n);
    if (e.name && n > 0 && read_params(out, skip_blank(s + n), &e)) lcu_buf_add(&list, &e, sizeof e);
  }
  out->list = list.len > 0 ? lcu_arena_alloc(&out->arena, list.len) : NULL;
  if (out->list) {
    memcpy(out->list, list.data, list.len);
    out->num = list.len / sizeof(lcu_entry);
  }
  bool failed = list.failed || (list.len > 0 && !out->list);
  lcu_buf_free(&list);
  if (!failed) return LCU_OK;
  lcu_entries_free(out);
  return lcu_fail(LCU_E_NOMEM, "out of memory");
}

const lcu_entry *lcu_entries_find (const lcu_entries *e, const char *name) {
  for (size_t i = 0; i < e->num; i++)
    if (strcmp(e->list[i].name, name) == 0) return &e->list[i];
  return NULL;
}

void lcu_entries_free (lcu_entries *e) {
  lcu_arena_free(&e->arena);
  memset(e, 0, sizeof *e);
}
