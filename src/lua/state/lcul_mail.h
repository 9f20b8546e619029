/* lcul_mail.h: Lua values that any thread may send back to their state.
 *
 * A mail holds a value in the registry. Any thread, also one of the driver, may post it: that only
 * puts it into the state's mailbox. The state's own thread empties the mailbox when it calls the
 * library: the value is dropped, or called if it is a call. A mail posted after the state was
 * closed is forgotten. */
#ifndef LCUL_MAIL_H
#define LCUL_MAIL_H

#include "lcul_state.h"

typedef struct lcul_mail lcul_mail;

/* [value] -> []: a mail with the value at the top. */
lcul_mail *lcul_mail_new (lua_State *L);
/* [function] -> []: a mail whose value is called. */
lcul_mail *lcul_mail_new_call (lua_State *L);
/* Ends the mail; on any thread, once. */
void lcul_mail_post (void *mail);
/* Empties the mailbox. Runs no Lua code. */
void lcul_mail_settle (lua_State *L, lcul_state *st);
/* Makes the mail of a call that will not be posted by another thread one that is dropped. */
void lcul_mail_cancel (lcul_mail *mail);
/* Calls what has arrived, in that order; returns how many. Not in finalizers. It runs Lua code. An
 * error of a function is raised, and the calls after it wait for the next time. */
int lcul_mail_run (lua_State *L);
/* [function, arguments] -> []; or, where the function fails, -> [function, error] for the next */
int lcul_mail_call (lua_State *L, int nargs);
/* [function, error] -> raises the error; a string says that a `what` of the function failed. */
void lcul_mail_raise (lua_State *L, const char *what);
/* At the end of a state. */
void lcul_mail_close (lcul_state *st);

#endif
