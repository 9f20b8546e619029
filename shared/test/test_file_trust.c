/* test_file_trust.c: tests which files may be read, by kind, size, mode and owner. */
#include "lcu_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char dir[64];

static const char *in_dir (const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  return path;
}

static lcu_status read_file (const char *path, lcu_file_trust trust, const char *text) {
  lcu_buf b = { 0 };
  lcu_status s = lcu_file_read(path, trust, &b);
  if (s == LCU_OK) CHECK(b.len == strlen(text) && memcmp(b.data, text, b.len) == 0);
  lcu_buf_free(&b);
  return s;
}

static bool refused (const char *path, lcu_file_trust trust, const char *why) {
  lcu_status s = read_file(path, trust, "");
  return s != LCU_OK && strstr(lcu_failure_get()->message, why) != NULL;
}

static void test_kinds (void) {
  const char *p = in_dir("x");
  CHECK(lcu_file_replace(p, "text", 4) == LCU_OK && read_file(p, LCU_FILE_OWN, "text") == LCU_OK);
  CHECK(truncate(p, (off_t)8 << 30) == 0 && refused(p, LCU_FILE_ANY, "larger than 256 MB"));
  CHECK(unlink(p) == 0 && mkfifo(p, 0600) == 0 && refused(p, LCU_FILE_ANY, "not a regular file"));
  CHECK(unlink(p) == 0 && mkdir(p, 0700) == 0 && refused(p, LCU_FILE_ANY, "directory"));
  CHECK(rmdir(p) == 0 && read_file(p, LCU_FILE_ANY, "") == LCU_E_NOT_FOUND);
  CHECK(refused("/dev/zero", LCU_FILE_ANY, "not a regular file"));
}

static void test_links (void) {
  char target[128];
  snprintf(target, sizeof target, "%s", in_dir("target"));
  CHECK(lcu_file_replace(target, "text", 4) == LCU_OK && symlink(target, in_dir("link")) == 0);
  CHECK(read_file(in_dir("link"), LCU_FILE_ANY, "text") == LCU_OK);
  CHECK(read_file(in_dir("link"), LCU_FILE_OWN, "") == LCU_E_IO);
  unlink(in_dir("link"));
  unlink(target);
}

static void test_modes (void) {
  static const struct {
    mode_t mode;
    bool good;
  } cases[] = { { 0600, true }, { 0644, true }, { 0664, false }, { 0602, false } };
  struct stat st;
  const char *p = in_dir("x");
  CHECK(lcu_file_replace(p, "text", 4) == LCU_OK && stat(p, &st) == 0 &&
        (st.st_mode & 0777) == 0600);
  for (size_t i = 0; i < lcu_arraylen(cases); i++) {
    CHECK(chmod(p, cases[i].mode) == 0 && read_file(p, LCU_FILE_ANY, "text") == LCU_OK);
    CHECK((read_file(p, LCU_FILE_OWN, "text") == LCU_OK) == cases[i].good);
  }
  unlink(p);
}

/* Needs root, to act as another user. */
static void test_owners (void) {
  enum { OTHER = 12345 };
  const char *p = in_dir("x");
  if (geteuid() != 0) return;
  CHECK(lcu_file_replace(p, "text", 4) == LCU_OK && chmod(p, 0644) == 0 && chmod(dir, 0755) == 0);
  CHECK(seteuid(OTHER) == 0);
  CHECK(refused(p, LCU_FILE_OWN, "another user") &&
        read_file(p, LCU_FILE_OWN_OR_ROOT, "text") == LCU_OK);
  CHECK(seteuid(0) == 0 && chown(p, OTHER, OTHER) == 0);
  CHECK(refused(p, LCU_FILE_OWN, "another user") &&
        refused(p, LCU_FILE_OWN_OR_ROOT, "another user"));
  CHECK(read_file(p, LCU_FILE_ANY, "text") == LCU_OK);
  unlink(p);
}

int main (void) {
  snprintf(dir, sizeof dir, "/tmp/luacuda-file-XXXXXX");
  CHECK(mkdtemp(dir) != NULL);
  test_kinds();
  test_links();
  test_modes();
  test_owners();
  CHECK(rmdir(dir) == 0);
  return check_result();
}
