/* test_file.c: tests reading and writing whole files: the contents are the same, and a failure
 * names the action, the path and the reason, and leaves no file. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "lcu_file.h"

static char folder[64];

#define EXPECT(cond) CHECK(cond, "(%s)", lcu_failure_get()->message)

/* The path of a name in the folder. The result is valid for four calls. */
static const char *at (const char *name) {
  static char paths[4][5000];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

/* Is the latest failure "cannot <doing> '<path>': <why>"? */
static bool said (const char *doing, const char *path, const char *why) {
  char want[6000];
  snprintf(want, sizeof want, "cannot %s '%s", doing, path);
  const char *have = lcu_failure_get()->message, *end = have + strlen(have) - strlen(why);
  return strncmp(have, want, strlen(want)) == 0 && strcmp(end, why) == 0;
}

static bool count (void *ud, const char *name) {
  int *n = ud;
  if (strcmp(name, "stop") == 0) return false;
  (*n)++;
  return true;
}

static int entries (void) {
  int n = 0;
  EXPECT(lcu_file_list(folder, count, &n) == LCU_OK);
  return n;
}

/* The sizes are around multiples of the size of a read. */
static void test_contents (void) {
  static const size_t sizes[] = { 0, 1, 16383, 16384, 16385, 50000 };
  static char data[50000];
  for (size_t i = 0; i < sizeof data; i++) data[i] = (char)(i * 31 + i / 256);
  for (size_t i = 0; i < lcu_arraylen(sizes); i++) {
    lcu_buf b = { 0 };
    lcu_file_info info = { 0 };
    lcu_buf_adds(&b, "before");
    EXPECT(lcu_file_replace(at("contents"), data, sizes[i]) == LCU_OK);
    EXPECT(lcu_file_read(at("contents"), LCU_FILE_ANY, &b) == LCU_OK);
    EXPECT(b.len == 6 + sizes[i] && memcmp(b.data, "before", 6) == 0 &&
           memcmp(b.data + 6, data, sizes[i]) == 0);
    EXPECT(lcu_file_stat(at("contents"), &info) == LCU_OK && info.size == sizes[i] &&
           !info.directory && info.modified > 1e9);
    lcu_buf_free(&b);
  }
  EXPECT(entries() == 1);
  EXPECT(lcu_file_replace(at("a/b/c"), "x", 1) == LCU_OK);
  struct stat st;
  EXPECT(stat(at("a/b"), &st) == 0 && S_ISDIR(st.st_mode));
  EXPECT(lcu_file_remove(at("a/b/c")) == LCU_OK && rmdir(at("a/b")) == 0 && rmdir(at("a")) == 0);
  EXPECT(lcu_file_remove(at("contents")) == LCU_OK && entries() == 0);
}

static void test_failures (void) {
  lcu_buf b = { 0 };
  lcu_file_info info;
  int n = 0;
  EXPECT(lcu_file_read(at("none"), LCU_FILE_ANY, &b) == LCU_E_NOT_FOUND &&
         said("open", at("none"), "No such file or directory"));
  EXPECT(lcu_file_stat(at("none"), &info) == LCU_E_NOT_FOUND &&
         said("look at", at("none"), "No such file or directory"));
  EXPECT(lcu_file_list(at("none"), count, &n) == LCU_E_NOT_FOUND &&
         said("list", at("none"), "No such file or directory"));
  EXPECT(lcu_file_remove(at("none")) == LCU_E_NOT_FOUND &&
         said("remove", at("none"), "No such file or directory"));
  EXPECT(lcu_file_read("/proc/self/mem", LCU_FILE_ANY, &b) == LCU_E_IO &&
         said("read", "/proc/self/mem", "Input/output error"));
  EXPECT(mkdir(at("dir"), 0700) == 0 && lcu_file_replace(at("dir/file"), "x", 1) == LCU_OK);
  EXPECT(lcu_file_remove(at("dir")) == LCU_E_IO && said("remove", at("dir"), "Is a directory"));
  EXPECT(lcu_file_replace(at("dir"), "x", 1) == LCU_E_IO &&
         said("rename to", at("dir"), "Is a directory"));
  EXPECT(lcu_file_replace(at("dir/file/x"), "x", 1) == LCU_E_IO &&
         said("create", at("dir/file/x"), "Not a directory"));
  EXPECT(entries() == 1 && b.len == 0);
  char name[4200];
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = '\0';
  EXPECT(lcu_file_replace(name, "x", 1) == LCU_E_IO);
  name[1000] = '\0';
  EXPECT(lcu_file_replace(name, "x", 1) == LCU_E_IO &&
         strstr(lcu_failure_get()->message, "File name too long") != NULL);
  EXPECT(lcu_file_remove(at("dir/file")) == LCU_OK && rmdir(at("dir")) == 0);
}

/* When the disk is full, the old file stays and the partly written one is removed. */
static void test_full_disk (void) {
  static char data[30000];
  struct rlimit before, little = { 8192, RLIM_INFINITY };
  lcu_buf b = { 0 };
  EXPECT(lcu_file_replace(at("file"), "old", 3) == LCU_OK);
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  little.rlim_max = before.rlim_max;
  EXPECT(setrlimit(RLIMIT_FSIZE, &little) == 0);
  EXPECT(lcu_file_replace(at("file"), data, sizeof data) == LCU_E_IO &&
         said("write", at("file"), "File too large"));
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT(entries() == 1 && lcu_file_read(at("file"), LCU_FILE_ANY, &b) == LCU_OK && b.len == 3);
  lcu_buf_free(&b);
  EXPECT(lcu_file_remove(at("file")) == LCU_OK);
}

static void test_memory (void) {
  lcu_buf b = { 0 };
  EXPECT(lcu_file_replace(at("file"), "x", 1) == LCU_OK);
  lcu_mem_fail_at(1);
  EXPECT(lcu_file_read(at("file"), LCU_FILE_ANY, &b) == LCU_E_NOMEM &&
         strstr(lcu_failure_get()->message, at("file")) != NULL);
  lcu_mem_fail_at(0);
  lcu_buf_free(&b);
  EXPECT(lcu_file_remove(at("file")) == LCU_OK);
}

/* A path is replaceable if it is a regular file or does not exist. */
static void test_replaceable (void) {
  EXPECT(lcu_file_replaceable(at("none")) && !lcu_file_replaceable(folder) &&
         !lcu_file_replaceable("/dev/null"));
  EXPECT(lcu_file_replace(at("file"), "x", 1) == LCU_OK && lcu_file_replaceable(at("file")));
  EXPECT(!lcu_file_replaceable(at("file/x")));
  EXPECT(symlink(at("file"), at("link")) == 0 && !lcu_file_replaceable(at("link")));
  EXPECT(mkfifo(at("pipe"), 0600) == 0 && !lcu_file_replaceable(at("pipe")));
  int n = 0;
  EXPECT(lcu_file_replace(at("stop"), "x", 1) == LCU_OK &&
         lcu_file_list(folder, count, &n) == LCU_OK && n <= 3);
  lcu_file_info info = { 0 };
  EXPECT(lcu_file_stat(folder, &info) == LCU_OK && info.directory);
  EXPECT(unlink(at("file")) == 0 && unlink(at("link")) == 0 && unlink(at("pipe")) == 0 &&
         unlink(at("stop")) == 0);
}

int main (void) {
  const char *tmp = getenv("TMPDIR");
  snprintf(folder, sizeof folder - 12, "%.40s", tmp != NULL ? tmp : "/tmp");
  if (strlen(folder) >= 40) snprintf(folder, sizeof folder, "/tmp");
  strcat(folder, "/lcu_XXXXXX");
  if (mkdtemp(folder) == NULL) return 1;
  test_contents();
  test_failures();
  test_full_disk();
  test_memory();
  test_replaceable();
  if (rmdir(folder) != 0) {
    failed++;
    printf("a file is left in %s\n", folder);
  }
  return check_result();
}
