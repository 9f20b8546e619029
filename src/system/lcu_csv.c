/* lcu_csv.c: rows, fields and numbers of text files. */
#include "lcu_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lcu_locale.h"

static bool is_blank (const lcu_csv *c, char v) {
  return (v == ' ' || v == '\t') && (v != c->delimiter || c->delimiter == ' ');
}

static void skip_blanks (lcu_csv *c) {
  while (c->at < c->end && is_blank(c, *c->at)) c->at++;
}

/* The length of a line's end at p: 0 where there is none. */
static size_t line_end (const lcu_csv *c, const char *p) {
  if (p < c->end && *p == '\n') return 1;
  return c->end - p >= 2 && p[0] == '\r' && p[1] == '\n' ? 2 : 0;
}

static void skip_line (lcu_csv *c) {
  const char *end = memchr(c->at, '\n', (size_t)(c->end - c->at));
  c->at = end != NULL ? end + 1 : c->end;
  c->line++;
}

bool lcu_csv_next (lcu_csv *c) {
  while (c->at < c->end) {
    const char *start = c->at;
    bool commented = c->comment != 0 && *c->at == c->comment;
    skip_blanks(c);
    if (!commented && c->at < c->end && line_end(c, c->at) == 0) {
      c->at = start;
      return true;
    }
    skip_line(c);
  }
  return false;
}

/* After a field: the delimiter or the end of the row. */
static lcu_csv_end finish (lcu_csv *c) {
  skip_blanks(c);
  size_t end = line_end(c, c->at);
  if (end > 0 || c->at == c->end) {
    c->at += end;
    c->line += end > 0;
    return LCU_CSV_ROW_END;
  }
  if (c->delimiter == ' ') return LCU_CSV_MORE;
  if (*c->at != c->delimiter) return LCU_CSV_TEXT;
  c->at++;
  return LCU_CSV_MORE;
}

static lcu_csv_end read_quoted (lcu_csv *c, lcu_csv_field *f) {
  f->text = ++c->at;
  for (; c->at < c->end; c->at++) {
    if (*c->at == '\n') c->line++;
    if (*c->at != '"') continue;
    if (c->at + 1 == c->end || c->at[1] != '"') break;
    f->doubled = true;
    c->at++;
  }
  if (c->at == c->end) return LCU_CSV_OPEN;
  f->len = (size_t)(c->at++ - f->text);
  return finish(c);
}

static bool ends_field (const lcu_csv *c, const char *p) {
  if (*p == c->delimiter || *p == '\n') return true;
  return (*p == '\t' && c->delimiter == ' ') || (*p == '\r' && line_end(c, p) > 0);
}

lcu_csv_end lcu_csv_read (lcu_csv *c, lcu_csv_field *f) {
  *f = (lcu_csv_field){ 0 };
  skip_blanks(c);
  if (c->at < c->end && *c->at == '"') return read_quoted(c, f);
  f->text = c->at;
  while (c->at < c->end && !ends_field(c, c->at)) c->at++;
  const char *last = c->at;
  while (last > f->text && is_blank(c, last[-1])) last--;
  f->len = (size_t)(last - f->text);
  return finish(c);
}


/* Numbers. */

typedef struct digits {
  uint64_t value; /* the first 19 digits */
  int64_t point;  /* power of ten that it is multiplied by */
  unsigned count; /* significant digits in `value` */
  bool any, lost; /* are there digits, and did some not fit? */
} digits;

static bool is_digit (char v) { return v >= '0' && v <= '9'; }

static void add_digit (digits *d, char v, bool fraction) {
  d->any = true;
  if (d->count == 0 && v == '0') d->point -= fraction;
  else if (d->count < 19) {
    d->value = d->value * 10 + (uint64_t)(v - '0');
    d->count++;
    d->point -= fraction;
  } else {
    d->lost |= v != '0';
    d->point += !fraction;
  }
}

/* "e-12" at p; false where it is not whole. */
static bool read_exponent (const char *p, const char *end, int64_t *out) {
  bool negative = ++p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end) return false;
  for (*out = 0; p < end; p++) {
    if (!is_digit(*p)) return false;
    if (*out < 1000000) *out = *out * 10 + (*p - '0');
  }
  if (negative) *out = -*out;
  return true;
}

/* Digits with a point and an exponent, up to `end`. */
static bool read_digits (const char *p, const char *end, digits *d) {
  int64_t exponent = 0;
  bool fraction = false;
  for (; p < end && (is_digit(*p) || (*p == '.' && !fraction)); p++) {
    if (*p == '.') fraction = true;
    else add_digit(d, *p, fraction);
  }
  if (!d->any) return false;
  if (p < end && (*p == 'e' || *p == 'E')) {
    if (!read_exponent(p, end, &exponent)) return false;
    p = end;
  }
  d->point += exponent;
  return p == end;
}

/* Products and quotients of two numbers that doubles hold exactly are rounded once (Clinger: How to
 * read floating point numbers accurately. PLDI 1990). */
static bool exactly (const digits *d, double *out) {
  static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
  if (d->lost || d->value > (uint64_t)1 << 53 || d->point < -22 || d->point > 22) return false;
  double v = (double)d->value;
  *out = d->point < 0 ? v / tens[-d->point] : v * tens[d->point];
  return true;
}

/* The C library's answer, for numbers of any length. */
static double library_double (const char *text, size_t len) {
  char buf[64], *copy = buf;
  if (len >= sizeof buf && (copy = malloc(len + 1)) == NULL) return (double)NAN;
  memcpy(copy, text, len);
  copy[len] = 0;
  void *before = lcu_locale_enter();
  double v = strtod(copy, NULL);
  lcu_locale_leave(before);
  if (copy != buf) free(copy);
  return v;
}

static bool is_word (const char *text, size_t len, const char *word) {
  return strlen(word) == len && strncasecmp(text, word, len) == 0;
}

bool lcu_csv_double (const char *text, size_t len, double *out) {
  digits d = { 0 };
  bool sign = len > 0 && (*text == '-' || *text == '+'), negative = sign && *text == '-';
  const char *start = text + sign, *end = text + len;
  if (read_digits(start, end, &d)) {
    if (!exactly(&d, out)) *out = library_double(start, (size_t)(end - start));
  } else if (is_word(start, len - sign, "inf") || is_word(start, len - sign, "infinity"))
    *out = (double)INFINITY;
  else if (is_word(start, len - sign, "nan")) *out = (double)NAN;
  else return false;
  if (negative) *out = -*out;
  return true;
}

bool lcu_csv_integer (const char *text, size_t len, bool *sign, uint64_t *magnitude) {
  const char *end = text + len;
  *sign = len > 0 && *text == '-';
  if (len > 0 && (*text == '-' || *text == '+')) text++;
  if (text == end) return false;
  for (*magnitude = 0; text < end; text++) {
    if (!is_digit(*text)) return false;
    uint64_t digit = (uint64_t)(*text - '0');
    if (*magnitude > (UINT64_MAX - digit) / 10) return false;
    *magnitude = *magnitude * 10 + digit;
  }
  return true;
}

size_t lcu_csv_whole (const char *text, size_t len) {
  size_t whole = len > 0 && (*text == '-' || *text == '+'), first = whole;
  while (whole < len && is_digit(text[whole])) whole++;
  for (size_t i = whole; i < len; i++)
    if (text[i] != (i == whole ? '.' : '0')) return 0;
  return whole > first ? whole : 0;
}
