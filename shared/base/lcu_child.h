/* lcu_child.h: other programs, run without a shell, and the temporary folders that they work in. */
#ifndef LCU_CHILD_H
#define LCU_CHILD_H

#include "lcu_mem.h"

/* Calls while programs run; each may be NULL. */
typedef struct lcu_child_watch {
  bool (*stop)(bool begin); /* asked at the beginning and a few times a second */
  void (*progress)(void *ud, size_t done, size_t num); /* a few times a second */
  void *ud;
} lcu_child_watch;

typedef struct lcu_child_end {
  bool known;       /* false where the host program lets the system forget its children */
  int code, signal; /* signal: the one that ended it, or 0 */
  lcu_buf output;   /* the first LCU_CHILD_MOST bytes of stdout and stderr together */
} lcu_child_end;
enum { LCU_CHILD_MOST = 16 << 20 };

/* Runs `num` programs to their ends, at most `most` at the same time, with no standard input. Each
 * argv begins with the path of the program and ends with NULL. Fails where one cannot be started,
 * and with LCU_E_INTERRUPTED where `stop` says so: the programs and their own children are then
 * killed. `ends`: zeroed; the caller frees their output in every case. */
lcu_status lcu_child_run (const char *const *const *argvs, size_t num, size_t most,
                          const lcu_child_watch *watch, lcu_child_end *ends);

/* A new folder that only this user can enter, under TMPDIR or /tmp. */
enum { LCU_FOLDER_SIZE = 512 };
lcu_status lcu_folder_make (char path[LCU_FOLDER_SIZE]);
/* Removes a folder and what is in it, without following links. */
void lcu_folder_remove (const char *path);

#endif
