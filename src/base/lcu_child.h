/* lcu_child.h: other programs, run without a shell, and the temporary folders that they work in. */
#ifndef LCU_CHILD_H
#define LCU_CHILD_H

#include "lcu_mem.h"

typedef struct lcu_child_job {
  const char *const *argv;  /* [0]: the path of the program; NULL at the end */
  bool (*stop)(bool begin); /* asked at the beginning and a few times a second; or NULL */
} lcu_child_job;

typedef struct lcu_child_end {
  bool known;       /* false where the host program lets the system forget its children */
  int code, signal; /* signal: the one that ended it, or 0 */
  lcu_buf output;   /* the first LCU_CHILD_MOST bytes of stdout and stderr together */
} lcu_child_end;
enum { LCU_CHILD_MOST = 16 << 20 };

/* Runs a program to its end, with no standard input. Fails where it cannot be started, and with
 * LCU_E_INTERRUPTED where `stop` says so: the program and its own children are then killed. The
 * caller frees end->output in every case. */
lcu_status lcu_child_run (const lcu_child_job *job, lcu_child_end *end);

/* A new folder that only this user can enter, under TMPDIR or /tmp. */
enum { LCU_FOLDER_SIZE = 512 };
lcu_status lcu_folder_make (char path[LCU_FOLDER_SIZE]);
/* Removes a folder and what is in it, without following links. */
void lcu_folder_remove (const char *path);

#endif
