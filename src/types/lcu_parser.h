/* lcu_parser.h: the state of the demangler, and what its files share. */
#ifndef LCU_PARSER_H
#define LCU_PARSER_H

#include "lcu_demangle.h"

#define LCU_PARSER_SUBS 512
#define LCU_PARSER_ARGS 256

typedef struct lcu_parser {
  lcu_arena *arena;
  const char *start, *at;
  const lcu_type *subs[LCU_PARSER_SUBS]; /* 5.1.10: what S_, S0_, ... refer to */
  size_t num_subs;
  const lcu_type *template_args; /* a PACK: what T_, T0_, ... refer to */
  int64_t pack_index;            /* element of packs to take during an expansion; -1: none */
  int64_t pack_size;             /* of the last pack read; -1: none */
  int depth, steps;
  size_t kept;       /* bytes of text */
  const char *wrong; /* first failure */
} lcu_parser;


/* ---- reading characters ---- */

static inline bool lcu_parser_take (lcu_parser *p, char c) {
  if (*p->at != c) return false;
  p->at++;
  return true;
}

static inline bool lcu_parser_take2 (lcu_parser *p, const char *two) {
  if (p->at[0] != two[0] || p->at[1] != two[1]) return false;
  p->at += 2;
  return true;
}

/* The failure to allocate memory; compared by address. */
extern const char lcu_parser_no_memory[];
/* Records the first failure, static text. Returns NULL. */
const void *lcu_parser_stop (lcu_parser *p, const char *why);
/* Enters a nested level; the caller decrements `depth` afterwards. False: a limit is exceeded. */
bool lcu_parser_enter (lcu_parser *p);
/* A node in the arena; NULL: failure. */
lcu_type *lcu_parser_node (lcu_parser *p, lcu_type_kind kind);
/* A node around `inner`; NULL: failure, also of inner. */
const lcu_type *lcu_parser_wrap (lcu_parser *p, lcu_type_kind kind, const lcu_type *inner);
/* Adds a substitution. Returns t, or NULL on failure, also of t. */
const lcu_type *lcu_parser_remember (lcu_parser *p, const lcu_type *t);
/* Moves the text into the arena and frees the buffer; NULL: failure. */
const char *lcu_parser_keep (lcu_parser *p, lcu_buf *b);
bool lcu_parser_set_args (lcu_parser *p, lcu_type *t, const lcu_type **args, size_t n);
/* <number>, digits only. */
bool lcu_parser_digits (lcu_parser *p, int64_t *out);
/* <seq-id> or <number> before '_': "_" is 0, "0_" is 1. */
bool lcu_parser_index (lcu_parser *p, int base, size_t *out);


/* ---- the grammar ---- */

const lcu_type *lcu_demangle_type (lcu_parser *p);
/* Parameter types up to 'E' or the end; returns false on failure. */
bool lcu_demangle_params (lcu_parser *p, const lcu_type **args, size_t *num);
/* 5.1.4 <name>: always NAMED. as_type: the name itself may become a substitution; template names
 * before arguments always do. */
const lcu_type *lcu_demangle_name (lcu_parser *p, bool as_type);
/* <source-name> */
const lcu_type *lcu_demangle_source_name (lcu_parser *p, const lcu_type *scope);
/* 5.1.10 <substitution> after its 'S', including the standard abbreviations. */
const lcu_type *lcu_demangle_substitution (lcu_parser *p);
/* 5.1.6.2 <template-param> */
const lcu_type *lcu_demangle_template_param (lcu_parser *p);
/* Template arguments of `base`, if any. At the end of a function's name T_ refers to them. */
const lcu_type *lcu_demangle_args (lcu_parser *p, const lcu_type *base, bool as_type);
/* 5.1.2 <encoding>. Only functions instantiated from templates have their result type in the
 * name. */
bool lcu_demangle_encoding (lcu_parser *p, lcu_encoding *out);

#endif
