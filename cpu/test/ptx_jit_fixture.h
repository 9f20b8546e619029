/* ptx_jit_fixture.h: shared by tests of compiled code: a fixture, and the folder that keeps
 * objects. Include it first. */
#ifndef PTX_JIT_FIXTURE_H
#define PTX_JIT_FIXTURE_H

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* nftw */
#endif
#include <ftw.h>

#include "lcu_child.h"
#include "lcu_file.h"
#include "ptx_fixture.h"
#include "ptx_jit.h"
#include "ptx_jit_llvm.h"
#include "ptx_module.h"

static fixture x;
static ptx_jit_folder folder;

static ptx_module *load_text (const char *text) {
  ptx_module *m = NULL;
  CHECK(ptx_module_load(text, strlen(text), &x.host, &m) == LCU_OK);
  return m;
}

static struct {
  int count;
  bool remove;
  char path[LCU_FOLDER_SIZE + 300]; /* of the last one */
} found;

static int note_file (const char *path, const struct stat *st, int kind, struct FTW *at) {
  (void)st;
  (void)at;
  if (kind != FTW_F || strlen(strrchr(path, '/')) != 63) return 0;
  found.count++;
  snprintf(found.path, sizeof found.path, "%s", path);
  if (found.remove) (void)lcu_file_remove(path);
  return 0;
}

/* How many objects the folder has; none afterwards, if they are to be removed. */
static int count_objects (bool remove) {
  found.count = 0;
  found.path[0] = '\0';
  found.remove = remove;
  (void)nftw(folder.path, note_file, 8, FTW_PHYS);
  return found.count;
}

#endif
