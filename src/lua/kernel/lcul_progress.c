/* lcul_progress.c: the line that tells what is being compiled, and for how long; core._progress. */
#include "lcul_progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lcu_thread.h"
#include "lcul_set.h"

enum { FROM_SECONDS = 2 };

static bool is_wanted (void) {
  const char *given = getenv("LUACUDA_PROGRESS");
  return (given == NULL || strcmp(given, "off") != 0) && isatty(STDERR_FILENO);
}

void lcul_progress_start (lcul_progress *p, const char *what) {
  *p = (lcul_progress){ .what = what, .start = lcu_now_ms(), .wanted = is_wanted() };
}

void lcul_progress_tick (void *progress) {
  lcul_progress *p = progress;
  long seconds = p->wanted ? (long)((lcu_now_ms() - p->start) / 1000) : 0;
  if (seconds < FROM_SECONDS || seconds == p->seconds) return;
  p->seconds = seconds;
  p->shown = true;
  fprintf(stderr, "\rluacuda: compiling %.40s ... %ld s", p->what, seconds);
  fflush(stderr);
}

void lcul_progress_count (void *progress, size_t done, size_t num) {
  lcul_progress *p = progress;
  if (num == 1) lcul_progress_tick(p);
  if (num == 1 || done == p->done || !p->wanted) return;
  p->done = done;
  p->shown = true;
  fprintf(stderr, "\rluacuda: %zu of %zu sources are compiled", done, num);
  fflush(stderr);
}

void lcul_progress_stop (lcul_progress *p) {
  if (!p->shown) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
}

/* _progress([text]): shows a line where one is wanted, or clears it. */
static int core_progress (lua_State *L) {
  const char *text = luaL_optstring(L, 1, NULL);
  if (!is_wanted()) return 0;
  fprintf(stderr, "\r%.78s\033[K", text != NULL ? text : "");
  fflush(stderr);
  return 0;
}

void lcul_open_progress (lua_State *L) {
  static const luaL_Reg functions[] = { { "_progress", core_progress }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
