/* lcu_recording.h: recordings of graphs, and calls that wait for a whole device. Such a call breaks
 * every recording on its device and fails itself, so the two exclude each other. */
#ifndef LCU_RECORDING_H
#define LCU_RECORDING_H

#include "lcu_device.h"

/* Waits for the calls in progress. */
void lcu_recording_begin (lcu_device *d);
/* True when it was the last recording in progress. */
bool lcu_recording_end (lcu_device *d);

/* Brackets a call that waits for the whole device. False, and no call may be made, while a graph is
 * being recorded. */
bool lcu_recording_forbid (lcu_device *d);
void lcu_recording_allow (lcu_device *d);

#endif
