/* cu_library.h: a foreign library that is opened at run time: its names, the table of functions
 * that is taken from it, and what is said where there is none. */
#ifndef CU_LIBRARY_H
#define CU_LIBRARY_H

#include <stddef.h>

#include "lcu_mem.h"

typedef struct lcu_symbol {
  bool required;
  const char *name;
  size_t offset; /* of the pointer in the table */
} lcu_symbol;

typedef struct lcu_opening lcu_opening;

typedef struct lcu_library {
  const char *name;           /* "cuBLAS", for messages */
  const char *variable;       /* of the environment: names the only file to try */
  bool dispensable;           /* where the variable is "off" or empty, no library is used */
  const char *missing;        /* the message where none was found */
  const char *const *sonames; /* best first */
  size_t num_sonames;
  const char *package; /* its folder in Python's nvidia packages: "cublas" */
  const lcu_symbol *symbols;
  size_t num_symbols;
  size_t size; /* of the table, and the place of its path: the file that was opened */
  size_t path_offset;
  /* The functions below may be NULL. */
  void *(*open)(const char *path);               /* in place of dlopen; dlerror tells why */
  void *(*find)(void *handle, const char *name); /* in place of dlsym */
  bool (*search)(lcu_opening *o);                /* in place of lcu_search_everywhere */
  lcu_status (*check)(void *table, void *handle, const char *path); /* a table that is filled */
  void (*finish)(void *table, lcu_buf *report);               /* once the library is accepted */
  void (*version)(const void *table, char *out, size_t size); /* "cuBLAS 13.0.2" */
} lcu_library;

/* The table and the names of a library, as members of its lcu_library. */
#define LCU_LIBRARY_TABLE(table, names, list) \
  .sonames = (names), .num_sonames = lcu_arraylen(names), .symbols = (list), \
  .num_symbols = lcu_arraylen(list), .size = sizeof(table), .path_offset = offsetof(table, path)

struct lcu_opening {
  const lcu_library *library;
  void *table;
  lcu_buf *report;
  bool found; /* a file exists; if it is not usable, the failure record says why */
};

/* Opens the library and fills its table: only the file that the variable names where that is set,
 * else the first usable one of the search. `report` (may be NULL) gets one line per path tried. The
 * library stays open until exit. The table is all zero after a failure. */
lcu_status lcu_library_open (const lcu_library *l, void *table, lcu_buf *report);

/* For a check: takes more symbols. */
lcu_status lcu_library_fill (const lcu_library *l, const lcu_symbol *symbols, size_t n, void *table,
                             void *handle, const char *path);

/* For searches: takes the file if it is usable. */
bool lcu_library_try (lcu_opening *o, const char *path);

#endif
