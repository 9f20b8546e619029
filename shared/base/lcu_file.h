/* lcu_file.h: whole files, read and replaced safely. Failures are LCU_E_IO (LCU_E_NOT_FOUND when
 * there is no such file) and name the path and the reason. */
#ifndef LCU_FILE_H
#define LCU_FILE_H

#include "lcu_mem.h"

/* Which files may be read. OWN: only files of this user; OWN_OR_ROOT: files of root as well. Such a
 * file is not a link, and no other user may write to it. */
typedef enum lcu_file_trust { LCU_FILE_ANY, LCU_FILE_OWN, LCU_FILE_OWN_OR_ROOT } lcu_file_trust;

/* Reads a regular file of up to LCU_FILE_MOST bytes. Never waits for the other end of a pipe. */
enum { LCU_FILE_MOST = 256 << 20 };
lcu_status lcu_file_read (const char *path, lcu_file_trust trust, lcu_buf *out);

/* Writes a temporary file in the same directory and renames it, so that a reader sees either the
 * old file or the complete new one. Creates missing directories (mode 0700). */
lcu_status lcu_file_replace (const char *path, const void *data, size_t len);
lcu_status lcu_file_remove (const char *path);

/* Puts the path of the file `name` in the folder of the library or program that contains `code`
 * into out; "" where it is not known or does not fit. Call it when the code is loaded: the folder
 * may be relative to the one that is current then. */
void lcu_file_beside (char *out, size_t size, const void *code, const char *name);

/* May a new file replace what is at that path? Links, pipes and devices are not replaced. */
bool lcu_file_replaceable (const char *path);

typedef struct lcu_file_info {
  uint64_t size;
  double modified;
  bool directory;
} lcu_file_info;
lcu_status lcu_file_stat (const char *path, lcu_file_info *out);

/* Calls fn for every entry of a directory except . and ..; stops when fn returns false. */
lcu_status lcu_file_list (const char *dir, bool (*fn)(void *ud, const char *name), void *ud);

#endif
