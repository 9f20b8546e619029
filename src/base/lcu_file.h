/* lcu_file.h: whole files, read and replaced safely. Failures are LCU_E_IO (LCU_E_NOT_FOUND when
 * there is no such file) and name the path and the reason. */
#ifndef LCU_FILE_H
#define LCU_FILE_H

#include "lcu_mem.h"

/* Whose file it may be. OWN: this user's, OWN_OR_ROOT: or root's; such a file is not a link, and
 * nobody else may write it. */
typedef enum lcu_file_trust { LCU_FILE_ANY, LCU_FILE_OWN, LCU_FILE_OWN_OR_ROOT } lcu_file_trust;

/* Reads a regular file of up to LCU_FILE_MOST bytes. Never waits for the other end of a pipe. */
enum { LCU_FILE_MOST = 256 << 20 };
lcu_status lcu_file_read (const char *path, lcu_file_trust trust, lcu_buf *out);

/* Writes beside `path` and renames, so that a reader sees the old file or the whole new one, never
 * a part. The directories above are made (mode 0700). */
lcu_status lcu_file_replace (const char *path, const void *data, size_t len);
lcu_status lcu_file_remove (const char *path);

/* May a new file take the place of what is there? Not of links, pipes and devices. */
bool lcu_file_replaceable (const char *path);

typedef struct lcu_file_info {
  uint64_t size;
  double modified;
  bool directory;
} lcu_file_info;
lcu_status lcu_file_stat (const char *path, lcu_file_info *out);

/* Calls fn for every entry of a directory but . and ..; stops when fn returns false. */
lcu_status lcu_file_list (const char *dir, bool (*fn)(void *ud, const char *name), void *ud);

#endif
