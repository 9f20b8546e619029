/* ptx_lex.h: PTX text -> tokens (PTX ISA, chapter "Syntax"). */
#ifndef PTX_LEX_H
#define PTX_LEX_H

#include "lcu_base.h"

typedef enum ptx_token_kind {
  PTX_T_END,
  PTX_T_NAME, /* %r1 foo $L__BB0_1 _ */
  PTX_T_DOT,  /* .global .v4 .L1::evict_last; text is without the dot */
  PTX_T_INT,
  PTX_T_FLOAT,
  PTX_T_STRING, /* text is without the quotes; escapes are not replaced */
  PTX_T_PUNCT,  /* one character, or one of the pairs below */
  PTX_T_BAD     /* `problem` says what is wrong */
} ptx_token_kind;

/* Operators of two characters. */
enum {
  PTX_PUNCT_SHL = 256,
  PTX_PUNCT_SHR,
  PTX_PUNCT_EQ,
  PTX_PUNCT_NE,
  PTX_PUNCT_LE,
  PTX_PUNCT_GE,
  PTX_PUNCT_AND,
  PTX_PUNCT_OR
};

typedef struct ptx_token {
  ptx_token_kind kind;
  const char *text;
  size_t len;
  uint32_t line;
  int punct;
  uint64_t i;
  bool is_unsigned; /* INT; FLOAT: the bits of the double */
  double f;
  bool single;
  const char *problem;
} ptx_token;

typedef struct ptx_lexer {
  const char *at, *end;
  uint32_t line;
} ptx_lexer;

void ptx_lex_start (ptx_lexer *x, const char *text, size_t len);
void ptx_lex_next (ptx_lexer *x, ptx_token *t);

/* Reads up to `max` plain decimal integers that are followed by a comma, with their commas; stops
 * before anything else. Faster than tokens, for tables of a hundred thousand numbers. */
size_t ptx_lex_numbers (ptx_lexer *x, uint64_t *out, size_t max);

#endif
