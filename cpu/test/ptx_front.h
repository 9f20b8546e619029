/* ptx_front.h: shared by the tests of the PTX front end: check counters, a host that only places
 * variables, files. */
#ifndef PTX_FRONT_H
#define PTX_FRONT_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lcu_mem.h"
#include "lcu_thread.h"
#include "ptx_cfg.h"
#include "ptx_module.h"
#include "ptx_operands.h"
#include "ptx_refs.h"
#include "ptx_regs.h"

static inline void *front_alloc (void *ud, const char *name, uint64_t size, uint64_t align,
                                 bool managed) {
  (void)ud;
  (void)name;
  (void)managed;
  void *p = lcu_alloc_aligned(size, align < 16 ? 16 : align);
  if (p != NULL) memset(p, 0, size);
  return p;
}
static inline void front_free (void *ud, void *p) {
  (void)ud;
  lcu_free(p);
}
static const ptx_host front_host = { .variable_alloc = front_alloc, .variable_free = front_free };

static inline ptx_function *front_function (const ptx_module *m, const char *name) {
  ptx_function *f = m->ast.functions;
  while (f != NULL && strcmp(f->name, name) != 0) f = f->next;
  return f;
}

/* The whole file, or NULL. free() it. */
static inline char *front_read (const char *path, size_t *len) {
  FILE *f = fopen(path, "rb");
  char *text = NULL;
  long size;
  if (f == NULL) return NULL;
  if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0 &&
      (text = malloc((size_t)size + 1)) != NULL)
    *len = fread(text, 1, (size_t)size, f);
  fclose(f);
  return text;
}

/* Calls each(path, text, len) for every .ptx in cpu/test/ptx and cpu/test/ptx/front; returns their
 * number. */
static inline int front_each (void (*each)(const char *path, const char *text, size_t len)) {
  static const char *const folders[] = { "cpu/test/ptx", "cpu/test/ptx/front" };
  int num = 0;
  for (size_t k = 0; k < 2; k++) {
    DIR *dir = opendir(folders[k]);
    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
      char path[512];
      size_t n = strlen(e->d_name), len = 0;
      if (n < 4 || strcmp(e->d_name + n - 4, ".ptx") != 0) continue;
      snprintf(path, sizeof path, "%s/%s", folders[k], e->d_name);
      char *text = front_read(path, &len);
      if (text != NULL) each(path, text, len);
      free(text);
      num++;
    }
    if (dir != NULL) closedir(dir);
  }
  return num;
}

/* Loads text that must be valid. */
static inline ptx_module *front_load (const char *text) {
  ptx_module *m = NULL;
  lcu_status status = ptx_module_load(text, strlen(text), &front_host, &m);
  CHECK(status == LCU_OK, "%s", lcu_failure_get()->message);
  return m;
}

#define FRONT_HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

#endif
