/* ptx_format.c: the text of one printf call of a kernel. The arguments are in a buffer, each
 * aligned to its size after C's default promotions: 4 bytes for int, 8 for long, pointers and
 * double. */
#include "ptx_runtime.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FIELD = 4096 }; /* limit of width and precision */

typedef enum length { LEN_NONE, LEN_HH, LEN_H, LEN_L, LEN_LL } length;

typedef struct conversion {
  char flags[8];
  int width, precision; /* -1: none */
  length length;
  char letter;
} conversion;

typedef struct reader {
  lcu_buf *out;
  const char *at;
  const ptx_format_source *source;
  uint32_t offset;
  int arguments;
  bool failed;
} reader;

/* ---- arguments */

static uint64_t next_argument (reader *r, uint32_t bytes) {
  uint64_t value = 0;
  r->offset = (r->offset + bytes - 1) & ~(bytes - 1);
  if (!r->source->read(r->source->ud, r->offset, &value, bytes)) r->failed = true;
  r->offset += bytes;
  r->arguments++;
  return value;
}

static int next_int (reader *r) { return (int)(uint32_t)next_argument(r, 4); }

/* ---- one conversion */

static void parse_flags (reader *r, conversion *c) {
  size_t n = 0;
  for (; *r->at != '\0' && strchr("-+ #0", *r->at) != NULL; r->at++)
    if (n + 1 < sizeof c->flags && memchr(c->flags, *r->at, n) == NULL) c->flags[n++] = *r->at;
  c->flags[n] = '\0';
}

/* A number, or * for an argument; -1: neither. */
static int parse_number (reader *r) {
  int n = 0;
  if (*r->at == '*') {
    r->at++;
    return next_int(r);
  }
  if (!isdigit((unsigned char)*r->at)) return -1;
  for (; isdigit((unsigned char)*r->at); r->at++)
    if (n < MAX_FIELD) n = n * 10 + (*r->at - '0');
  return n;
}

static void parse_width (reader *r, conversion *c) {
  bool star = *r->at == '*';
  c->width = parse_number(r);
  /* a negative * means left-justified (C11 7.21.6.1) */
  if (star && c->width < 0) {
    size_t n = strlen(c->flags);
    if (n + 1 < sizeof c->flags) memcpy(c->flags + n, "-", 2);
    c->width = c->width == INT32_MIN ? MAX_FIELD : -c->width;
  }
  if (c->width > MAX_FIELD) c->width = MAX_FIELD;
}

static void parse_precision (reader *r, conversion *c) {
  c->precision = -1;
  if (*r->at != '.') return;
  r->at++;
  if (*r->at != '*' && !isdigit((unsigned char)*r->at)) c->precision = 0;
  else c->precision = parse_number(r); /* a negative * means none */
  if (c->precision > MAX_FIELD) c->precision = MAX_FIELD;
}

static length parse_length (reader *r) {
  static const struct {
    const char *text;
    length length;
  } words[] = { { "hh", LEN_HH }, { "ll", LEN_LL }, { "h", LEN_H },  { "l", LEN_L },
                { "j", LEN_LL },  { "z", LEN_LL },  { "t", LEN_LL }, { "L", LEN_NONE } };
  for (size_t i = 0; i < lcu_arraylen(words); i++) {
    size_t n = strlen(words[i].text);
    if (strncmp(r->at, words[i].text, n) != 0) continue;
    r->at += n;
    return words[i].length;
  }
  return LEN_NONE;
}

/* The conversion for snprintf, with the given length modifier. */
static void spell (const conversion *c, const char *modifier, char *out, size_t size) {
  char width[16] = "", precision[16] = "";
  if (c->width >= 0) snprintf(width, sizeof width, "%d", c->width);
  if (c->precision >= 0) snprintf(precision, sizeof precision, ".%d", c->precision);
  snprintf(out, size, "%%%s%s%s%s%c", c->flags, width, precision, modifier, c->letter);
}

static long long signed_value (uint64_t bits, length l) {
  switch (l) {
    case LEN_HH: return (signed char)bits;
    case LEN_H: return (short)bits;
    case LEN_NONE: return (int32_t)bits;
    default: return (long long)bits;
  }
}

static unsigned long long unsigned_value (uint64_t bits, length l) {
  switch (l) {
    case LEN_HH: return (unsigned char)bits;
    case LEN_H: return (unsigned short)bits;
    case LEN_NONE: return (uint32_t)bits;
    default: return bits;
  }
}

static void put_integer (reader *r, const conversion *c) {
  char spec[64];
  bool wide = c->length == LEN_L || c->length == LEN_LL;
  uint64_t bits = next_argument(r, wide ? 8 : 4);
  spell(c, "ll", spec, sizeof spec);
  if (c->letter == 'd' || c->letter == 'i')
    lcu_buf_addf(r->out, spec, signed_value(bits, c->length));
  else lcu_buf_addf(r->out, spec, unsigned_value(bits, c->length));
}

static void put_double (reader *r, const conversion *c) {
  char spec[64];
  double value;
  uint64_t bits = next_argument(r, 8);
  memcpy(&value, &bits, 8);
  /* GPUs compute positive NaNs only, x86 negative ones too */
  if (value != value) value = (double)NAN;
  spell(c, "", spec, sizeof spec);
  lcu_buf_addf(r->out, spec, value);
}

static void put_char (reader *r, const conversion *c) {
  char spec[64];
  spell(c, "", spec, sizeof spec);
  lcu_buf_addf(r->out, spec, next_int(r));
}

static void put_pointer (reader *r, const conversion *c) {
  char spec[64];
  spell(c, "", spec, sizeof spec);
  lcu_buf_addf(r->out, spec, (void *)(uintptr_t)next_argument(r, 8));
}

/* A string printed with a precision need not end in a NUL (C11 7.21.6.1). */
static void put_string (reader *r, const conversion *c) {
  char spec[64];
  size_t limit = c->precision >= 0 ? (size_t)c->precision : SIZE_MAX;
  lcu_buf text = { 0 };
  uint64_t address = next_argument(r, 8);
  if (address == 0) lcu_buf_adds(&text, "(null)");
  else if (!r->source->text(r->source->ud, address, limit, &text)) r->failed = true;
  spell(c, "", spec, sizeof spec);
  if (!r->failed && !text.failed) lcu_buf_addf(r->out, spec, text.data != NULL ? text.data : "");
  lcu_buf_free(&text);
}

/* False: not a conversion. */
static bool put (reader *r, const conversion *c) {
  switch (c->letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': put_integer(r, c); return true;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': put_double(r, c); return true;
    case 'c': put_char(r, c); return true;
    case 's': put_string(r, c); return true;
    case 'p': put_pointer(r, c); return true;
    default: return false;
  }
}

/* After the %. Text that is not a conversion is printed unchanged. */
static void convert (reader *r) {
  const char *start = r->at;
  conversion c;
  if (*r->at == '%') {
    lcu_buf_add(r->out, r->at++, 1);
    return;
  }
  parse_flags(r, &c);
  parse_width(r, &c);
  parse_precision(r, &c);
  c.length = parse_length(r);
  c.letter = *r->at;
  if (c.letter != '\0' && put(r, &c)) {
    r->at++;
    return;
  }
  if (c.letter != '\0') r->at++;
  lcu_buf_adds(r->out, "%");
  lcu_buf_add(r->out, start, (size_t)(r->at - start));
}

int ptx_format (lcu_buf *out, const char *format, const ptx_format_source *source) {
  reader r = { .out = out, .at = format, .source = source };
  while (!r.failed) {
    const char *percent = strchr(r.at, '%');
    if (percent == NULL) break;
    lcu_buf_add(out, r.at, (size_t)(percent - r.at));
    r.at = percent + 1;
    convert(&r);
  }
  if (r.failed) return -1;
  lcu_buf_adds(out, r.at);
  return r.arguments;
}
