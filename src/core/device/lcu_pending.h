/* lcu_pending.h: failures of a device that no call has raised yet.
 *
 * The contract: every failure that belongs to a Lua state is raised by one call of that state, or
 * written to stderr when the state closes. A fault of a kernel is pending from the moment it is
 * found, by any thread and any call; so is a failure in a finalizer, which cannot raise (a late
 * failure). A pending failure has an owner (lcu_status.h): entering a device (lcu_scope.h) reports
 * it to threads of that owner only, as often as they enter, and queries leave it alone. It is
 * removed only by lcu_pending_raised, when the Lua error has actually been raised. A call that
 * fails with it and handles the failure without raising removes nothing.
 *
 * The list has room for a fixed number of failures, and each device has one note in reserve for a
 * failure without memory. */
#ifndef LCU_PENDING_H
#define LCU_PENDING_H

#include "cu_driver.h"

typedef struct lcu_device lcu_device;
typedef struct lcu_pending lcu_pending;
typedef struct lcu_stream lcu_stream;

#define LCU_RECENT 16

/* A recent launch; successive launches of one kernel on one stream count as one. */
typedef struct lcu_recent {
  lcu_stream *stream;   /* borrowed; NULL: the stream has ended, its work possibly not */
  uint64_t seq, kernel; /* kernel: the kernel's id */
  char name[64];
} lcu_recent;

/* What a device keeps of its failures; guarded by its lock. */
typedef struct lcu_faults {
  lcu_pending *pending, *reserve; /* no call has raised them yet */
  lcu_failure death; /* the fatal fault of a dead device, which every later call names */
  lcu_recent recent[LCU_RECENT]; /* a ring */
  unsigned recent_next;
} lcu_faults;

/* Keeps this thread's failure for the next call that may raise it. Does nothing for LCU_OK, on a
 * dead device, and for a failure kept already. */
void lcu_device_defer (lcu_device *d, lcu_status s);
/* Keeps the fault of a kernel, which is this thread's latest failure. */
void lcu_pending_fault (lcu_device *d, lcu_status s);
/* Makes the first failure of this thread's owner the thread's latest one; LCU_OK: none. */
lcu_status lcu_pending_report (lcu_device *d);
/* Does lcu_pending_report have a failure to report? */
bool lcu_pending_waits (lcu_device *d);
/* Removes a failure that was raised: `key` is its lcu_failure.pending. */
void lcu_pending_raised (uint64_t key);
/* The failures of one device become those of the other. */
void lcu_pending_move (lcu_device *from, lcu_device *to);
lcu_status lcu_pending_open (lcu_device *d);
void lcu_pending_free (lcu_device *d);

#endif
