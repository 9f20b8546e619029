/* lcul_progress.h: a line on stderr while a compilation or a search takes long, where stderr is a
 * terminal and LUACUDA_PROGRESS is not "off". The line is cleared at the end. */
#ifndef LCUL_PROGRESS_H
#define LCUL_PROGRESS_H

#include "lcu_base.h"
#include "lcul_state.h"

typedef struct lcul_progress {
  const char *what; /* that is compiled */
  double start;     /* ms */
  long seconds;     /* that the line shows */
  size_t done;
  bool wanted, shown;
} lcul_progress;

void lcul_progress_start (lcul_progress *p, const char *what);
/* Shows the seconds from the second one on. To be called a few times a second; p is an
 * lcul_progress. */
void lcul_progress_tick (void *p);
/* The same; of several sources shows how many are compiled. */
void lcul_progress_count (void *p, size_t done, size_t num);
void lcul_progress_stop (lcul_progress *p);

#endif
