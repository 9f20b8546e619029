/* cu_search.c: the search for libraries. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* dladdr */
#endif
#include "cu_search.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cu_failure.h"

/* Environment variables that name a toolkit (or a pip folder): searched before the system's own
 * libraries. */
static const char *const root_variables[] = { "LUACUDA_CUDA_HOME", "CUDA_HOME", "CUDA_PATH" };

/* The usual places of toolkits: searched after the system's own libraries. */
static const char *const usual_roots[] = { "/usr/local/cuda", "/opt/cuda" };


/* ---- roots ---- */

static void root_add (lcu_roots *l, const char *path, size_t len) {
  if (l->n == LCU_ROOTS_MAX || len == 0 || len >= LCU_PATH_SIZE) return;
  memcpy(l->path[l->n], path, len);
  l->path[l->n++][len] = '\0';
}

static void root_add_variable (lcu_roots *l, const char *variable) {
  const char *v = getenv(variable);
  if (v != NULL) root_add(l, v, strlen(v));
}

static void root_add_site_packages (lcu_roots *l) {
  const char *p = getenv("LUACUDA_SITE_PACKAGES");
  while (p != NULL && *p != '\0') {
    size_t n = strcspn(p, ":");
    root_add(l, p, n);
    p += p[n] == ':' ? n + 1 : n;
  }
}

/* The site-packages folders of each Python below a prefix. */
static void root_add_python (lcu_roots *l, const char *prefix) {
  char pattern[LCU_PATH_SIZE];
  glob_t found;
  if (prefix == NULL || prefix[0] == '\0' ||
      !lcu_path_join(pattern, prefix, "lib/python3*/site-packages") ||
      glob(pattern, 0, NULL, &found) != 0)
    return;
  for (size_t i = 0; i < found.gl_pathc; i++)
    root_add(l, found.gl_pathv[i], strlen(found.gl_pathv[i]));
  globfree(&found);
}

/* The folder for which `pip install --user` installs. */
static void root_add_user_python (lcu_roots *l) {
  char base[LCU_PATH_SIZE];
  const char *given = getenv("PYTHONUSERBASE"), *home = getenv("HOME");
  if (given != NULL && given[0] != '\0') root_add_python(l, given);
  else if (home != NULL && home[0] != '\0' && lcu_path_join(base, home, ".local"))
    root_add_python(l, base);
}

void lcu_roots_first (lcu_roots *l) {
  for (size_t i = 0; i < lcu_arraylen(root_variables); i++) root_add_variable(l, root_variables[i]);
}

void lcu_roots_last (lcu_roots *l) {
  for (size_t i = 0; i < lcu_arraylen(usual_roots); i++)
    root_add(l, usual_roots[i], strlen(usual_roots[i]));
  root_add_site_packages(l);
  root_add_python(l, getenv("VIRTUAL_ENV"));
  root_add_variable(l, "CONDA_PREFIX");
  root_add_python(l, getenv("CONDA_PREFIX"));
  root_add_user_python(l);
}


/* ---- paths ---- */

bool lcu_path_join (char out[LCU_PATH_SIZE], const char *a, const char *b) {
  int n = snprintf(out, LCU_PATH_SIZE, b[0] != '\0' ? "%s/%s" : "%s%s", a, b);
  return n >= 0 && n < LCU_PATH_SIZE;
}

bool lcu_path_readable (const char *folder, const char *file) {
  char path[LCU_PATH_SIZE];
  return lcu_path_join(path, folder, file) && access(path, R_OK) == 0;
}

bool lcu_path_folder (char out[LCU_PATH_SIZE], const char *file) {
  const char *slash = strrchr(file, '/');
  size_t n = slash != NULL ? (size_t)(slash - file) : 0;
  if (n == 0 || n >= LCU_PATH_SIZE) return false;
  memcpy(out, file, n);
  out[n] = '\0';
  return true;
}

void lcu_path_of_symbol (char out[LCU_PATH_SIZE], void *fn, const char *otherwise) {
  Dl_info info;
  bool known = fn != NULL && dladdr(fn, &info) != 0 && info.dli_fname != NULL;
  snprintf(out, LCU_PATH_SIZE, "%s", known ? info.dli_fname : otherwise);
}

void lcu_report_line (lcu_buf *report, const char *path, const char *what) {
  size_t n = strlen(path);
  if (report == NULL) return;
  /* dlerror repeats the path */
  if (strncmp(what, path, n) == 0 && strncmp(what + n, ": ", 2) == 0) what += n + 2;
  lcu_buf_addf(report, "%s: %s\n", path, what);
}

void lcu_report_failure (lcu_buf *report, const char *path) {
  char text[LCU_MESSAGE_SIZE];
  lcu_report_line(report, path, lcu_failure_text(lcu_failure_get(), text));
}


/* ---- variables ---- */

bool lcu_search_forbids (const char *given) {
  return given != NULL && (given[0] == '\0' || strcmp(given, "off") == 0);
}

bool lcu_search_names (const char *variable) {
  const char *given = getenv(variable);
  return given != NULL && !lcu_search_forbids(given);
}


/* ---- the search ---- */

/* Folders of a root that may contain the library: of a toolkit, conda or pip (a site-packages
 * folder, or the nvidia folder in it). %s: the package. */
static const char *const library_folders[] = {
  "lib64",
  "lib",
  "targets/x86_64-linux/lib",
  "targets/sbsa-linux/lib",
  "lib/x86_64-linux-gnu",
  "lib/aarch64-linux-gnu",
  "",
  "nvidia/cu13/lib",
  "nvidia/%s/lib",
  "cu13/lib",
  "%s/lib",
};

/* root/folder, with the package in the place of %s. */
static bool folder_of (char out[LCU_PATH_SIZE], const char *package, const char *root,
                       const char *folder) {
  char name[64];
  const char *place = strstr(folder, "%s");
  if (place == NULL) return lcu_path_join(out, root, folder);
  snprintf(name, sizeof name, "%.*s%s%s", (int)(place - folder), folder, package, place + 2);
  return lcu_path_join(out, root, name);
}

/* Missing files are not reported one by one: the report names each root once. */
static bool try_folder (lcu_opening *o, const char *folder) {
  char path[LCU_PATH_SIZE];
  const char *const *names = o->library->sonames;
  for (size_t i = 0; i < o->library->num_sonames; i++)
    if (lcu_path_readable(folder, names[i]) && lcu_path_join(path, folder, names[i]) &&
        lcu_library_try(o, path))
      return true;
  return false;
}

static bool try_root (lcu_opening *o, const char *root) {
  char folder[LCU_PATH_SIZE], words[64];
  for (size_t i = 0; i < lcu_arraylen(library_folders); i++)
    if (folder_of(folder, o->library->package, root, library_folders[i]) && try_folder(o, folder))
      return true;
  snprintf(words, sizeof words, "no usable %s", o->library->name);
  lcu_report_line(o->report, root, words);
  return false;
}

static bool try_roots (lcu_opening *o, const lcu_roots *l) {
  for (int i = 0; i < l->n; i++)
    if (try_root(o, l->path[i])) return true;
  return false;
}

bool lcu_search_sonames (lcu_opening *o) {
  for (size_t i = 0; i < o->library->num_sonames; i++)
    if (lcu_library_try(o, o->library->sonames[i])) return true;
  return false;
}

bool lcu_search_run (lcu_opening *o, const lcu_roots *first, const lcu_roots *last) {
  return try_roots(o, first) || lcu_search_sonames(o) || try_roots(o, last);
}

lcu_roots *lcu_roots_new (lcu_opening *o) {
  lcu_roots *roots = lcu_calloc(2, sizeof *roots);
  if (roots != NULL) return roots;
  o->found = true;
  (void)lcu_no_memory("the search for a library");
  return NULL;
}

bool lcu_search_everywhere (lcu_opening *o) {
  lcu_roots *roots = lcu_roots_new(o);
  if (roots == NULL) return false;
  lcu_roots_first(&roots[0]);
  lcu_roots_last(&roots[1]);
  bool ok = lcu_search_run(o, &roots[0], &roots[1]);
  lcu_free(roots);
  return ok;
}
