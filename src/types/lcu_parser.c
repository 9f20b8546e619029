/* lcu_parser.c: nodes, texts and numbers for the demangler, within limits. */
#include "lcu_parser.h"

#include <ctype.h>
#include <string.h>

#define MAX_DEPTH 128
#define MAX_NAME 65536        /* substitutions can double a name repeatedly */
#define MAX_TEXTS (16u << 20) /* of all names together */
#define MAX_STEPS \
  100000 /* a pattern with packs is read once for each element, and so are patterns inside it */

const char lcu_parser_no_memory[] = "out of memory";

const void *lcu_parser_stop (lcu_parser *p, const char *why) {
  if (p->wrong == NULL) p->wrong = why;
  return NULL;
}

bool lcu_parser_enter (lcu_parser *p) {
  if (p->depth >= MAX_DEPTH) return lcu_parser_stop(p, "nested too deeply") != NULL;
  if (++p->steps > MAX_STEPS) return lcu_parser_stop(p, "too long") != NULL;
  p->depth++;
  return true;
}

lcu_type *lcu_parser_node (lcu_parser *p, lcu_type_kind kind) {
  lcu_type *t = lcu_arena_alloc(p->arena, sizeof *t);
  if (t == NULL) lcu_parser_stop(p, lcu_parser_no_memory);
  else t->kind = kind;
  return t;
}

const lcu_type *lcu_parser_wrap (lcu_parser *p, lcu_type_kind kind, const lcu_type *inner) {
  lcu_type *t = inner != NULL ? lcu_parser_node(p, kind) : NULL;
  if (t != NULL) t->inner = inner;
  return t;
}

const lcu_type *lcu_parser_remember (lcu_parser *p, const lcu_type *t) {
  if (t == NULL) return NULL;
  if (p->num_subs == LCU_PARSER_SUBS) return lcu_parser_stop(p, "too many substitutions");
  p->subs[p->num_subs++] = t;
  return t;
}

const char *lcu_parser_keep (lcu_parser *p, lcu_buf *b) {
  bool fits = b->failed || (b->len <= MAX_NAME && (p->kept += b->len) <= MAX_TEXTS);
  const char *s =
    fits && !b->failed ? lcu_arena_strndup(p->arena, b->data != NULL ? b->data : "", b->len) : NULL;
  lcu_buf_free(b);
  if (s == NULL) lcu_parser_stop(p, fits ? lcu_parser_no_memory : "name too long");
  return s;
}

bool lcu_parser_set_args (lcu_parser *p, lcu_type *t, const lcu_type **args, size_t n) {
  t->args = lcu_arena_alloc(p->arena, (n + 1) * sizeof *args);
  if (t->args == NULL) return lcu_parser_stop(p, lcu_parser_no_memory) != NULL;
  if (n > 0) memcpy(t->args, args, n * sizeof *args);
  t->num_args = n;
  return true;
}

bool lcu_parser_digits (lcu_parser *p, int64_t *out) {
  if (!isdigit((unsigned char)*p->at)) return false;
  int64_t v = 0;
  while (isdigit((unsigned char)*p->at)) {
    if (v > INT64_MAX / 10 - 10) return false;
    v = v * 10 + (*p->at++ - '0');
  }
  *out = v;
  return true;
}

bool lcu_parser_index (lcu_parser *p, int base, size_t *out) {
  size_t v = 0;
  if (lcu_parser_take(p, '_')) {
    *out = 0;
    return true;
  }
  for (; *p->at != '_'; p->at++) {
    char c = *p->at;
    if (isdigit((unsigned char)c)) v = v * (size_t)base + (size_t)(c - '0');
    else if (base == 36 && c >= 'A' && c <= 'Z') v = v * 36 + (size_t)(c - 'A') + 10;
    else return false;
    if (v > 1000000) return false;
  }
  p->at++;
  *out = v + 1;
  return true;
}
