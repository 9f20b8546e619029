/* lcu_folder.c: temporary folders. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* nftw */
#endif
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lcu_child.h"

lcu_status lcu_folder_make (char path[LCU_FOLDER_SIZE]) {
  const char *root = getenv("TMPDIR");
  if (root == NULL || root[0] != '/') root = "/tmp";
  int n = snprintf(path, LCU_FOLDER_SIZE, "%s/luacuda-XXXXXX", root);
  if (n >= 0 && n < LCU_FOLDER_SIZE && mkdtemp(path) != NULL) return LCU_OK;
  path[0] = '\0';
  return lcu_fail(LCU_E_IO, "cannot create a folder in '%s': set TMPDIR to one that can be written",
                  root);
}

static int remove_one (const char *path, const struct stat *st, int kind, struct FTW *at) {
  (void)st;
  (void)kind;
  (void)at;
  remove(path);
  return 0;
}

void lcu_folder_remove (const char *path) {
  enum { OPEN_FOLDERS = 8 };
  nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}
