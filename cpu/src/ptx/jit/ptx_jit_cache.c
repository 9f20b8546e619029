/* ptx_jit_cache.c: compiled code on the disk. */
#include "ptx_jit_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lcu_file.h"
#include "lcu_sha256.h"
#include "ptx_jit_llvm.h"

enum { DIGEST_BYTES = 32, PATH_BYTES = 1280, MOST_OBJECT = 8 << 20 };

/* Increased when the same text is to be compiled in another way. */
static const char REVISION[] = "LUACUDA-JIT 2\n";

static lcu_file_trust trust_of (const ptx_jit_folder *folder) {
  return folder->named ? LCU_FILE_OWN_OR_ROOT : LCU_FILE_OWN;
}

static void digest (const void *a, size_t a_len, const void *b, size_t b_len,
                    uint8_t out[DIGEST_BYTES]) {
  lcu_sha256 s;
  lcu_sha256_init(&s);
  lcu_sha256_add(&s, a, a_len);
  lcu_sha256_add(&s, b, b_len);
  lcu_sha256_final(&s, out);
}

/* ---- which libLLVM: its file, size and time ----
 *
 * Opening it takes longer than starting a kernel. So the folder records the file that the search
 * found, and the record holds until that file changes. It does not record a file that the
 * environment names. */

static bool describe (const char *path, char *out, size_t size) {
  lcu_file_info info;
  if (lcu_file_stat(path, &info) != LCU_OK) return false;
  int n =
    snprintf(out, size, "%s\n%llu %.9f\n", path, (unsigned long long)info.size, info.modified);
  return n > 0 && (size_t)n < size;
}

static bool record_path (const ptx_jit_folder *folder, char *out, size_t size) {
  int n = snprintf(out, size, "%s/llvm", folder->path);
  return folder->path[0] != '\0' && n > 0 && (size_t)n < size;
}

static bool is_named (void) {
  const char *given = getenv("LUACUDA_LLVM");
  return given != NULL && given[0] != '\0';
}

/* The description that was noted, if it still holds. */
static bool read_record (const ptx_jit_folder *folder, char *out, size_t size) {
  char path[PATH_BYTES];
  lcu_buf noted = { 0 };
  bool ok = !is_named() && record_path(folder, path, sizeof path) &&
            lcu_file_read(path, trust_of(folder), &noted) == LCU_OK && noted.data != NULL;
  if (ok) {
    snprintf(path, sizeof path, "%.*s", (int)strcspn(noted.data, "\n"), noted.data);
    ok = describe(path, out, size) && strcmp(out, noted.data) == 0;
  }
  lcu_buf_free(&noted);
  return ok;
}

/* The file that the environment names, if that is its path. */
static bool describe_named (char *out, size_t size) {
  const char *given = getenv("LUACUDA_LLVM");
  return is_named() && strchr(given, '/') != NULL && describe(given, out, size);
}

static bool make_record (const ptx_jit_folder *folder, char *out, size_t size) {
  char path[PATH_BYTES];
  if (ptx_jit_llvm_open() != LCU_OK) return false;
  const char *file = ptx_jit_llvm_library()->file;
  if (!describe(file, out, size)) {
    snprintf(out, size, "unknown\n");
    return true;
  }
  if (!is_named() && record_path(folder, path, sizeof path))
    (void)lcu_file_replace(path, out, strlen(out));
  return true;
}

bool ptx_jit_cache_key (const ptx_jit_folder *folder, const lcu_buf *what, bool known_only,
                        uint8_t key[PTX_JIT_KEY_BYTES]) {
  char words[PATH_BYTES], all[PATH_BYTES + 128];
  if (!describe_named(words, sizeof words) && !read_record(folder, words, sizeof words) &&
      (known_only || !make_record(folder, words, sizeof words)))
    return false;
  snprintf(all, sizeof all, "%s%s\n%s", REVISION, ptx_isa_name(), words);
  digest(all, strlen(all), what->data, what->len, key);
  return true;
}

/* ---- files: the revision, the digest of what follows, the key, the object ---- */

static void hex (const uint8_t *bytes, size_t n, char *out) {
  for (size_t i = 0; i < n; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* Two digits are the name of a folder, as in the kernel cache. */
static bool path_of (const ptx_jit_folder *folder, const uint8_t *key, char *out, size_t size) {
  char name[2 * PTX_JIT_KEY_BYTES + 1];
  hex(key, PTX_JIT_KEY_BYTES, name);
  int n = snprintf(out, size, "%s/%.2s/%s", folder->path, name, name + 2);
  return folder->path[0] != '\0' && n > 0 && (size_t)n < size;
}

static const size_t HEAD = sizeof REVISION - 1 + DIGEST_BYTES;

static bool is_whole (const lcu_buf *file, const uint8_t *key) {
  uint8_t found[DIGEST_BYTES];
  const char *body = file->data + HEAD;
  if (file->len <= HEAD + PTX_JIT_KEY_BYTES ||
      memcmp(file->data, REVISION, sizeof REVISION - 1) != 0 ||
      memcmp(body, key, PTX_JIT_KEY_BYTES) != 0)
    return false;
  digest(body, file->len - HEAD, "", 0, found);
  return memcmp(file->data + sizeof REVISION - 1, found, DIGEST_BYTES) == 0;
}

bool ptx_jit_cache_read (const ptx_jit_folder *folder, const uint8_t key[PTX_JIT_KEY_BYTES],
                         lcu_buf *object) {
  char path[PATH_BYTES];
  lcu_buf file = { 0 };
  bool found = path_of(folder, key, path, sizeof path) &&
               lcu_file_read(path, trust_of(folder), &file) == LCU_OK;
  bool ok = found && is_whole(&file, key);
  size_t skip = HEAD + PTX_JIT_KEY_BYTES;
  if (ok) lcu_buf_add(object, file.data + skip, file.len - skip);
  else if (found) (void)lcu_file_remove(path);
  lcu_buf_free(&file);
  return ok && !object->failed;
}

void ptx_jit_cache_write (const ptx_jit_folder *folder, const uint8_t key[PTX_JIT_KEY_BYTES],
                          const lcu_buf *object) {
  char path[PATH_BYTES];
  uint8_t sum[DIGEST_BYTES];
  lcu_buf file = { 0 };
  if (object->len > MOST_OBJECT || !path_of(folder, key, path, sizeof path)) return;
  digest(key, PTX_JIT_KEY_BYTES, object->data, object->len, sum);
  lcu_buf_add(&file, REVISION, sizeof REVISION - 1);
  lcu_buf_add(&file, sum, sizeof sum);
  lcu_buf_add(&file, key, PTX_JIT_KEY_BYTES);
  lcu_buf_add(&file, object->data, object->len);
  if (!file.failed) (void)lcu_file_replace(path, file.data, file.len);
  lcu_buf_free(&file);
}
