/* cu_search.h: the search for libraries that are opened at run time, and for their files. */
#ifndef CU_SEARCH_H
#define CU_SEARCH_H

#include "cu_library.h"

enum { LCU_PATH_SIZE = 512, LCU_ROOTS_MAX = 64 };

/* Folders of toolkits or Python packages. */
typedef struct lcu_roots {
  int n;
  char path[LCU_ROOTS_MAX][LCU_PATH_SIZE];
} lcu_roots;

/* Adds LUACUDA_CUDA_HOME CUDA_HOME CUDA_PATH: searched before the system's own libraries. */
void lcu_roots_first (lcu_roots *l);
/* Adds /usr/local/cuda and similar places, the folders of LUACUDA_SITE_PACKAGES (separated by
 * colons), those of the Python environments VIRTUAL_ENV and CONDA_PREFIX, and the user's own:
 * searched after the system's own libraries. */
void lcu_roots_last (lcu_roots *l);

/* Tries the sonames of the library in the roots of `first`, among the system's own libraries, and
 * in the roots of `last`. The report gets a line per root. */
bool lcu_search_run (lcu_opening *o, const lcu_roots *first, const lcu_roots *last);

/* The same with the roots of lcu_roots_first and lcu_roots_last. */
bool lcu_search_everywhere (lcu_opening *o);

/* Only the system's own libraries. */
bool lcu_search_sonames (lcu_opening *o);

/* Two empty lists of roots, to be freed; NULL without memory: then the opening has failed. */
lcu_roots *lcu_roots_new (lcu_opening *o);

/* Does the value of a variable such as LUACUDA_LIBNCCL, "off" or empty, forbid the library? NULL:
 * it is not set. */
bool lcu_search_forbids (const char *given);
/* Does the variable name a library? If so, no other library takes its place. */
bool lcu_search_names (const char *variable);

/* a/b, or a where b is empty; false when it does not fit. */
bool lcu_path_join (char out[LCU_PATH_SIZE], const char *a, const char *b);
bool lcu_path_readable (const char *folder, const char *file);
/* The folder of a file's path; false when there is none or it does not fit. */
bool lcu_path_folder (char out[LCU_PATH_SIZE], const char *file);
/* Adds "path: what" (NULL: no report). */
void lcu_report_line (lcu_buf *report, const char *path, const char *what);
/* The same with this thread's latest failure. */
void lcu_report_failure (lcu_buf *report, const char *path);
/* The file that contains the function, or `otherwise`. A soname does not tell where the library
 * is. */
void lcu_path_of_symbol (char out[LCU_PATH_SIZE], void *fn, const char *otherwise);

#endif
