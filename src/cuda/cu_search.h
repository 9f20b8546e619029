/* cu_search.h: where libraries of a CUDA toolkit may be, for those that are opened at run time
 * besides the driver. */
#ifndef CU_SEARCH_H
#define CU_SEARCH_H

#include "lcu_mem.h"

enum { LCU_PATH_SIZE = 512, LCU_ROOTS_MAX = 64 };

/* Folders of toolkits or Python packages. */
typedef struct lcu_roots {
  int n;
  char path[LCU_ROOTS_MAX][LCU_PATH_SIZE];
} lcu_roots;

/* Adds LUACUDA_CUDA_HOME CUDA_HOME CUDA_PATH: searched before the system's own libraries. */
void lcu_roots_first (lcu_roots *l);
/* Adds /usr/local/cuda and the like, and what LUACUDA_SITE_PACKAGES names (colons between):
 * searched after them. */
void lcu_roots_last (lcu_roots *l);

typedef struct lcu_search {
  const char *name; /* "libnvrtc", for the report */
  const char *const *sonames;
  size_t num_sonames; /* best first */
  /* of a root, where the library may lie */
  const char *const *folders;
  size_t num_folders;
  /* Opens the file and keeps it if it can serve; *found tells one that cannot serve from one that
   * is not there. */
  bool (*try_library)(void *ud, const char *path, lcu_buf *report, bool *found);
  void *ud;
} lcu_search;

/* Roots of `first`, the system's own libraries by name, roots of `last`. `report` (may be NULL)
 * gets a line per root. */
bool lcu_search_run (const lcu_search *s, const lcu_roots *first, const lcu_roots *last,
                     lcu_buf *report, bool *found);

/* a/b, or a where b is empty; false when it does not fit. */
bool lcu_path_join (char out[LCU_PATH_SIZE], const char *a, const char *b);
bool lcu_path_readable (const char *folder, const char *file);
/* The folder of a file's path; false when there is none or it does not fit. */
bool lcu_path_folder (char out[LCU_PATH_SIZE], const char *file);
/* Adds "path: what" (NULL: no report). */
void lcu_report_line (lcu_buf *report, const char *path, const char *what);
/* The same with this thread's latest failure. */
void lcu_report_failure (lcu_buf *report, const char *path);
/* The file that holds the function, or `otherwise`: a soname says nothing about where the library
 * is. */
void lcu_path_of_symbol (char out[LCU_PATH_SIZE], void *fn, const char *otherwise);

#endif
