/* lcu_csv.h: text of rows and fields (RFC 4180): separated by a character or by blanks, in quotes
 * where they contain it. Lines end with "\n" or "\r\n"; empty lines and comments are skipped. */
#ifndef LCU_CSV_H
#define LCU_CSV_H

#include "lcu_base.h"

typedef struct lcu_csv {
  const char *at, *end;
  char delimiter; /* ' ': any number of blanks and tabs */
  char comment;   /* lines that begin with it are skipped; 0: none */
  uint64_t line;  /* number of the line at `at` */
} lcu_csv;

/* The text of a field without quotes, and without blanks around it. `doubled`: it has quotes that
 * stand for one each. */
typedef struct lcu_csv_field {
  const char *text;
  size_t len;
  bool doubled;
} lcu_csv_field;

typedef enum lcu_csv_end {
  LCU_CSV_MORE, /* another field follows in the row */
  LCU_CSV_ROW_END,
  LCU_CSV_OPEN, /* error: a quote that is not closed */
  LCU_CSV_TEXT  /* error: text behind a closing quote */
} lcu_csv_end;

/* Goes to the next row; false at the end of the text. */
bool lcu_csv_next (lcu_csv *c);
/* Reads a field of the row. */
lcu_csv_end lcu_csv_read (lcu_csv *c, lcu_csv_field *field);

/* A whole text as a number: "-1.5e3", "inf", "nan"; no hexadecimal ones. The nearest double, in any
 * locale. */
bool lcu_csv_double (const char *text, size_t len, double *out);
/* As an integer; false also where 64 bits do not hold it. `sign`: is it below zero? */
bool lcu_csv_integer (const char *text, size_t len, bool *sign, uint64_t *magnitude);
/* The length of an integer without the zeros after its decimal point ("12" of "12.00"); 0 for a
 * text that is not an integer or has an exponent. */
size_t lcu_csv_whole (const char *text, size_t len);

#endif
