/* cu_library.c: opens a foreign library, and fills its table. */
#include "cu_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cu_search.h"

static void *open_file (const lcu_library *l, const char *path, char *why, size_t size) {
  void *h = l->open != NULL ? l->open(path) : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const char *words = h == NULL ? dlerror() : NULL;
  snprintf(why, size, "%s", words != NULL ? words : "cannot be opened");
  return h;
}

static void *find_symbol (const lcu_library *l, void *handle, const char *name) {
  return l->find != NULL ? l->find(handle, name) : dlsym(handle, name);
}

/* POSIX allows the result of dlsym to be read as a function pointer; ISO C has no cast for it. */
lcu_status lcu_library_fill (const lcu_library *l, const lcu_symbol *symbols, size_t n, void *table,
                             void *handle, const char *path) {
  for (const lcu_symbol *s = symbols; s < symbols + n; s++) {
    void *address = find_symbol(l, handle, s->name);
    if (address == NULL && s->required)
      return lcu_fail(LCU_E_UNSUPPORTED, "the %s in %s cannot be used: it has no %s", l->name, path,
                      s->name);
    memcpy((char *)table + s->offset, &address, sizeof address);
  }
  return LCU_OK;
}

static lcu_status adopt (const lcu_library *l, void *table, void *handle, const char *path) {
  memset(table, 0, l->size);
  LCU_TRY(lcu_library_fill(l, l->symbols, l->num_symbols, table, handle, path));
  if (l->num_symbols > 0)
    lcu_path_of_symbol((char *)table + l->path_offset, find_symbol(l, handle, l->symbols[0].name),
                       path);
  return l->check != NULL ? l->check(table, handle, path) : LCU_OK;
}

static void report_opened (const lcu_opening *o, const char *path) {
  const lcu_library *l = o->library;
  char version[64] = "", words[LCU_PATH_SIZE + 96];
  if (l->version != NULL) l->version(o->table, version, sizeof version);
  snprintf(words, sizeof words, "opened %s%s%s", (const char *)o->table + l->path_offset,
           version[0] != '\0' ? ", " : "", version);
  lcu_report_line(o->report, path, words);
}

bool lcu_library_try (lcu_opening *o, const char *path) {
  const lcu_library *l = o->library;
  char why[LCU_PATH_SIZE + 256];
  void *h = open_file(l, path, why, sizeof why);
  if (h == NULL) {
    lcu_report_line(o->report, path, why);
    if (access(path, R_OK) != 0) return false;
    o->found = true;
    (void)lcu_fail(LCU_E_NOT_FOUND, "%s cannot be opened: %s", l->name, why);
    return false;
  }
  o->found = true;
  if (adopt(l, o->table, h, path) != LCU_OK) {
    lcu_report_failure(o->report, path);
    memset(o->table, 0, l->size);
    dlclose(h);
    return false;
  }
  report_opened(o, path);
  if (l->finish != NULL) l->finish(o->table, o->report);
  return true;
}

static lcu_status forbidden (const lcu_library *l, lcu_buf *report) {
  char words[64];
  snprintf(words, sizeof words, "not searched, %s is off", l->variable);
  lcu_report_line(report, l->name, words);
  return lcu_fail(LCU_E_NOT_FOUND, "%s forbids %s", l->variable, l->name);
}

lcu_status lcu_library_open (const lcu_library *l, void *table, lcu_buf *report) {
  lcu_opening o = { l, table, report, false };
  const char *given = getenv(l->variable);
  memset(table, 0, l->size);
  if (l->dispensable && lcu_search_forbids(given)) return forbidden(l, report);
  if (given != NULL && given[0] == '\0') given = NULL;
  if (given != NULL       ? lcu_library_try(&o, given)
      : l->search != NULL ? l->search(&o)
                          : lcu_search_everywhere(&o))
    return LCU_OK;
  /* the record has the reason why the last one found is not usable */
  if (o.found) return lcu_failure_get()->code;
  if (given != NULL)
    return lcu_fail(LCU_E_NOT_FOUND, "%s names %s, which cannot be opened", l->variable, given);
  return lcu_fail(LCU_E_NOT_FOUND, "%s", l->missing);
}
