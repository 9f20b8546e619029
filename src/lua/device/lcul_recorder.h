/* lcul_recorder.h: calls functions whose work is recorded in a graph. */
#ifndef LCUL_RECORDER_H
#define LCUL_RECORDER_H

#include <lua.h>

#include "lcu_capture.h"

/* [1] function -> [1] recorder, then the results of function(stream): returns their number.
 * Everything that it queues is recorded for device d. `what` names the caller. */
int lcul_record (lua_State *L, lcu_device *d, const char *what);
/* [1] function, [2] the Stream for it -> the same for a body of the conditional node that was added
 * last to `s`, a stream of the capture in progress. */
int lcul_record_body (lua_State *L, lcu_stream *s, cu_graph body);
/* Takes the capture of the recorder at idx: work runs again, or is recorded as before. NULL: it was
 * taken. */
lcu_capture *lcul_recorder_stop (lua_State *L, int idx);

#endif
