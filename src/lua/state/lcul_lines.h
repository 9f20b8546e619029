/* lcul_lines.h: lines about launches and driver calls that go to functions of Lua states.
 *
 * A line belongs to the state that its thread works for. It waits in a queue until a call of that
 * state can run Lua code. Lines that the function itself causes are dropped. */
#ifndef LCUL_LINES_H
#define LCUL_LINES_H

#include "lcul_state.h"

typedef enum lcul_line_kind { LCUL_LINE_LAUNCH, LCUL_LINE_API, LCUL_LINE_COUNT } lcul_line_kind;

/* How many functions there are in the process, for lines of any kind and of this kind. */
extern atomic_int lcul_lines_functions;
int lcul_lines_wanted (lcul_line_kind kind);

/* [function or nil] -> []: what gets the state's lines from now on. Lines that wait for another
 * function go to this one. */
void lcul_lines_set (lua_State *L, lcul_line_kind kind);
/* Pushes the state's function, or nil. */
void lcul_lines_push (lua_State *L, lcul_line_kind kind);

/* Queues a line of the state that this thread works for; false: the state has no function for such
 * lines. Runs no Lua code. */
bool lcul_lines_add (lcul_line_kind kind, const char *line);

/* Calls the functions with the lines that wait. It runs Lua code, so it comes last in a call. An
 * error of a function is raised, and the lines after it wait for the next time. */
void lcul_lines_deliver (lua_State *L);
static inline void lcul_lines_run (lua_State *L) {
  if (lcu_unlikely(atomic_load_explicit(&lcul_lines_functions, memory_order_relaxed) != 0))
    lcul_lines_deliver(L);
}

/* Where a call waits or asks: calls what has arrived (lcul_mail_run), then delivers lines. Returns
 * how many mails were called. */
int lcul_callbacks_run (lua_State *L);

/* At the end of a state. */
void lcul_lines_close (lcul_state *st);

#endif
