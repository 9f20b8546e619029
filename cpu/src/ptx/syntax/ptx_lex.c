/* ptx_lex.c: the tokenizer. It never reads past the end and never allocates. An unknown character
 * is a PTX_T_BAD token. */
#include "ptx_lex.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "lcu_half.h"

enum { C_SPACE = 1, C_NAME = 2, C_DIGIT = 4, C_HEX = 8 };

static inline int class_of (char ch) {
  unsigned char c = (unsigned char)ch;
  if (c >= '0' && c <= '9') return C_NAME | C_DIGIT | C_HEX;
  if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) return C_NAME | C_HEX;
  if ((c >= 'g' && c <= 'z') || (c >= 'G' && c <= 'Z') || c == '_' || c == '$') return C_NAME;
  if (c == ' ' || (c >= '\t' && c <= '\r')) return C_SPACE;
  return 0;
}

static inline bool is_name (char c) { return (class_of(c) & C_NAME) != 0; }
static inline bool is_digit (char c) { return (class_of(c) & C_DIGIT) != 0; }

void ptx_lex_start (ptx_lexer *x, const char *text, size_t len) {
  /* callers often include the terminator */
  const char *nul = len != 0 ? memchr(text, '\0', len) : NULL;
  x->at = text;
  x->end = nul != NULL ? nul : text + len;
  x->line = 1;
}

static char peek (const ptx_lexer *x, size_t ahead) {
  return (size_t)(x->end - x->at) > ahead ? x->at[ahead] : '\0';
}

static void skip_line (ptx_lexer *x) {
  const char *nl = memchr(x->at, '\n', (size_t)(x->end - x->at));
  x->at = nl != NULL ? nl : x->end;
}

static bool skip_comment (ptx_lexer *x) {
  x->at += 2;
  for (; x->at < x->end; x->at++) {
    if (*x->at == '\n') x->line++;
    if (*x->at == '*' && peek(x, 1) == '/') {
      x->at += 2;
      return true;
    }
  }
  return false;
}

/* Skips blanks, comments, preprocessor lines and the @@DWARF lines of old compilers. False: a
 * comment does not end. */
static bool skip_blank (ptx_lexer *x) {
  while (x->at < x->end) {
    char c = *x->at;
    if (c == '\n') {
      x->line++;
      x->at++;
    } else if (class_of(c) & C_SPACE) x->at++;
    else if (c == '/' && peek(x, 1) == '/') skip_line(x);
    else if (c == '/' && peek(x, 1) == '*') {
      if (!skip_comment(x)) return false;
    } else if (c == '#' || (c == '@' && peek(x, 1) == '@')) skip_line(x);
    else break;
  }
  return true;
}

static void bad (ptx_token *t, const char *problem) {
  t->kind = PTX_T_BAD;
  t->problem = problem;
}

static void lex_name (ptx_lexer *x, ptx_token *t) {
  t->kind = PTX_T_NAME;
  x->at++;
  while (x->at < x->end && is_name(*x->at)) x->at++;
}

/* ".shared::cta" is one part. */
static void lex_dot (ptx_lexer *x, ptx_token *t) {
  t->kind = PTX_T_DOT;
  t->text = ++x->at;
  while (x->at < x->end) {
    if (is_name(*x->at)) x->at++;
    else if (*x->at == ':' && peek(x, 1) == ':' && is_name(peek(x, 2))) x->at += 2;
    else break;
  }
  if (x->at == t->text) bad(t, "a name must follow the dot");
}

static int digit_value (char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

/* The number of digits that always fit in 64 bits. */
static int safe_digits (unsigned base) {
  return base == 16 ? 16 : base == 10 ? 19 : base == 8 ? 21 : 64;
}

static uint64_t lex_digits (ptx_lexer *x, unsigned base, ptx_token *t) {
  uint64_t v = 0;
  const char *start = x->at, *safe_end = start + safe_digits(base);
  for (; x->at < x->end; x->at++) {
    unsigned d = (unsigned)digit_value(*x->at);
    if (d >= base) break;
    if (x->at >= safe_end && v > (UINT64_MAX - d) / base) bad(t, "integer does not fit in 64 bits");
    v = v * base + d;
  }
  if (x->at == start) bad(t, "malformed number");
  return v;
}

/* 0f and 0d: the bits of a float or double in exactly 8 or 16 hexadecimal digits. */
static void lex_float_bits (ptx_lexer *x, ptx_token *t, bool single) {
  const char *start = x->at += 2;
  t->kind = PTX_T_FLOAT;
  t->single = single;
  uint64_t bits = lex_digits(x, 16, t);
  if (x->at - start != (single ? 8 : 16))
    bad(t, single ? "0f needs 8 hexadecimal digits" : "0d needs 16 hexadecimal digits");
  if (single) t->f = (double)lcu_bits_f32((uint32_t)bits);
  else memcpy(&t->f, &bits, sizeof bits);
  /* a conversion may quiet a NaN: set its bits */
  if (single && t->f != t->f)
    t->i = (bits & 0x80000000u) << 32 | (uint64_t)0x7ff << 52 | (bits & 0x7fffffu) << 29;
  else memcpy(&t->i, &t->f, sizeof t->i);
}

static bool starts_fraction (const ptx_lexer *x) {
  char c = peek(x, 0), d = peek(x, 1);
  if (c == '.') return !is_name(d) || is_digit(d) || d == 'e' || d == 'E';
  return (c == 'e' || c == 'E') &&
         (is_digit(d) || ((d == '+' || d == '-') && is_digit(peek(x, 2))));
}

/* PTX uses a decimal point, whatever the locale. */
static double read_decimal (const char *text) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = (locale_t)0;
  if (plain != (locale_t)0) before = uselocale(plain);
  double v = strtod(text, NULL);
  if (plain != (locale_t)0) {
    uselocale(before);
    freelocale(plain);
  }
  return v;
}

static void lex_decimal_float (ptx_lexer *x, ptx_token *t) {
  char text[64];
  size_t len = 0;
  x->at = t->text;
  while (x->at < x->end && len < sizeof text - 1) {
    char c = *x->at;
    bool sign = (c == '+' || c == '-') && len > 0 && (text[len - 1] == 'e' || text[len - 1] == 'E');
    if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && !sign) break;
    text[len++] = c;
    x->at++;
  }
  text[len] = '\0';
  t->kind = PTX_T_FLOAT;
  t->f = read_decimal(text);
  memcpy(&t->i, &t->f, sizeof t->i);
}

static unsigned number_base (const ptx_lexer *x) {
  if (peek(x, 0) != '0') return 10;
  switch (peek(x, 1)) {
    case 'x':
    case 'X': return 16;
    case 'b':
    case 'B': return 2;
    case 'f':
    case 'F': return 1; /* marks the float forms */
    case 'd':
    case 'D': return 0;
    default: return is_digit(peek(x, 1)) ? 8 : 10;
  }
}

static void lex_number (ptx_lexer *x, ptx_token *t) {
  unsigned base = number_base(x);
  t->kind = PTX_T_INT;
  if (base <= 1) lex_float_bits(x, t, base == 1);
  else {
    if (base == 16 || base == 2) x->at += 2;
    t->i = lex_digits(x, base, t);
    t->is_unsigned = t->i > INT64_MAX;
    if (base == 10 && t->kind == PTX_T_INT && starts_fraction(x)) lex_decimal_float(x, t);
    else if (peek(x, 0) == 'U' || peek(x, 0) == 'u') {
      t->is_unsigned = true;
      x->at++;
    }
  }
  if (t->kind != PTX_T_BAD && is_name(peek(x, 0))) bad(t, "malformed number");
}

static void lex_string (ptx_lexer *x, ptx_token *t) {
  t->kind = PTX_T_STRING;
  t->text = ++x->at;
  while (x->at < x->end && *x->at != '"' && *x->at != '\n')
    x->at += (*x->at == '\\' && x->end - x->at > 1 && x->at[1] != '\n') ? 2 : 1;
  t->len = (size_t)(x->at - t->text);
  if (peek(x, 0) == '"') x->at++;
  else bad(t, "unterminated string");
}

static int pair_of (char a, char b) {
  if (a == b) {
    switch (a) {
      case '<': return PTX_PUNCT_SHL;
      case '>': return PTX_PUNCT_SHR;
      case '=': return PTX_PUNCT_EQ;
      case '&': return PTX_PUNCT_AND;
      case '|': return PTX_PUNCT_OR;
      default: return 0;
    }
  }
  if (b != '=') return 0;
  return a == '!' ? PTX_PUNCT_NE : a == '<' ? PTX_PUNCT_LE : a == '>' ? PTX_PUNCT_GE : 0;
}

static void lex_punct (ptx_lexer *x, ptx_token *t) {
  t->kind = PTX_T_PUNCT;
  t->punct = pair_of(*x->at, peek(x, 1));
  if (t->punct != 0) x->at += 2;
  else if (memchr("{}[]()<>,;:+-!~|&^*/%=@?", *x->at, 24) != NULL)
    t->punct = (unsigned char)*x->at++;
  else {
    x->at++;
    bad(t, "unexpected character");
  }
}

/* .5, but not the part .1d */
static bool is_fraction (const ptx_lexer *x) {
  ptx_lexer y = *x;
  ptx_token t = { .text = x->at };
  if (!is_digit(peek(x, 1))) return false;
  lex_decimal_float(&y, &t);
  return !is_name(peek(&y, 0));
}

void ptx_lex_next (ptx_lexer *x, ptx_token *t) {
  bool closed = skip_blank(x);
  *t = (ptx_token){ .kind = PTX_T_END, .text = x->at, .line = x->line };
  if (!closed) bad(t, "unterminated comment");
  if (x->at >= x->end) return;
  char c = *x->at;
  if (is_digit(c)) lex_number(x, t);
  else if (is_name(c) || (c == '%' && is_name(peek(x, 1)))) lex_name(x, t);
  else if (c == '.' && is_fraction(x)) lex_decimal_float(x, t);
  else if (c == '.') lex_dot(x, t);
  else if (c == '"') {
    lex_string(x, t);
    return;
  } else lex_punct(x, t);
  t->len = (size_t)(x->at - t->text);
}

/* "123 ," at `at`: where it ends, or NULL for anything else. */
static const char *plain_number (const char *at, const char *end, uint64_t *out) {
  uint64_t v = 0;
  const char *start = at;
  for (; at < end && *at >= '0' && *at <= '9'; at++) v = v * 10 + (uint64_t)(*at - '0');
  /* 07 is octal */
  if (at == start || at - start > 18 || (*start == '0' && at - start > 1)) return NULL;
  while (at < end && *at == ' ') at++;
  *out = v;
  return at < end && *at == ',' ? at + 1 : NULL;
}

size_t ptx_lex_numbers (ptx_lexer *x, uint64_t *out, size_t max) {
  size_t n = 0;
  while (n < max) {
    const char *at = x->at;
    uint32_t lines = 0;
    for (; at < x->end && (*at == ' ' || *at == '\n'); at++) lines += *at == '\n';
    at = plain_number(at, x->end, &out[n]);
    if (at == NULL) break;
    x->at = at;
    x->line += lines;
    n++;
  }
  return n;
}
