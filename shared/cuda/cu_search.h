/* cu_search.h: the search for libraries of a CUDA toolkit that are opened at run time. */
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
/* Adds /usr/local/cuda and similar places, the folders of LUACUDA_SITE_PACKAGES (separated by
 * colons), those of the Python environments VIRTUAL_ENV and CONDA_PREFIX, and the user's own:
 * searched after the system's own libraries. */
void lcu_roots_last (lcu_roots *l);

typedef struct lcu_search {
  const char *name; /* "libnvrtc", for the report */
  const char *const *sonames;
  size_t num_sonames;  /* best first */
  const char *package; /* its folder in Python's nvidia packages: "cublas" */
  /* Opens the file and keeps it if it is usable. *found: the file exists, usable or not. */
  bool (*try_library)(void *ud, const char *path, lcu_buf *report, bool *found);
  void *ud;
} lcu_search;

/* Searches the roots of `first`, the system's own libraries by name, and the roots of `last`.
 * `report` (may be NULL) gets a line per root. */
bool lcu_search_run (const lcu_search *s, const lcu_roots *first, const lcu_roots *last,
                     lcu_buf *report, bool *found);

/* The same with the roots of lcu_roots_first and lcu_roots_last. Without memory for them *found is
 * set, and the failure record has the reason. */
bool lcu_search_everywhere (const lcu_search *s, lcu_buf *report, bool *found);

/* dlopen; adds the reason to the report where the file cannot be opened. */
void *lcu_search_dlopen (const char *path, int flags, lcu_buf *report);
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
