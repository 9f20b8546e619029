/* lcu_process.h: what the whole process has: the devices found, the number of Lua states, what
 * watches it, and whether this is a forked child. */
#ifndef LCU_PROCESS_H
#define LCU_PROCESS_H

#include <stdatomic.h>

#include "cu_driver.h"

typedef struct lcu_device lcu_device;

/* LCU_E_FORK in a forked child of the process that initialized CUDA. Cheap: called at the start of
 * every operation. */
lcu_status lcu_process_check (void);
/* True in such a child: finalizers then drop their handles without a driver call. */
extern atomic_bool lcu_process_is_forked;
static inline bool lcu_process_forked (void) {
  return lcu_unlikely(atomic_load_explicit(&lcu_process_is_forked, memory_order_relaxed));
}

enum { LCU_MAX_DEVICES = 64 };
/* The devices that lcu_process_devices has found. */
lcu_device *lcu_process_device (size_t index); /* borrowed */
/* NULL before lcu_process_devices, and where its library is not installed. */
lcu_device *lcu_process_cpu (void);
size_t lcu_process_gpu_count (void);
/* Contexts that programs make have places after the devices, and come and go. False: all places are
 * taken. */
bool lcu_process_add_context (lcu_device *c);
void lcu_process_remove_context (lcu_device *c);
/* The open context at a place that `wanted` accepts, or NULL. */
lcu_device *lcu_process_context (size_t place, bool (*wanted)(lcu_device *c));
/* Calls fn for each device, and for each context while none can end. `fn` returns false to stop. */
void lcu_process_each (bool (*fn)(lcu_device *d, void *ud), void *ud);
/* What watches the process: a bit for launches that wait, one for launches that are reported
 * (lcu_launch.h), and a count of the timelines being recorded (lcu_timeline.h). */
enum { LCU_WATCH_SYNC = 1, LCU_WATCH_LAUNCH = 2, LCU_WATCH_TIMES = ~255 };
extern atomic_int lcu_process_watches;
static inline bool lcu_process_watched (int what) {
  return lcu_unlikely((atomic_load_explicit(&lcu_process_watches, memory_order_relaxed) & what) !=
                      0);
}
/* Sets one of the bits; returns whether it was set before. */
bool lcu_process_watch (int bit, bool on);
/* For debugging: every launch waits for its kernel, so that the launch that caused a fault raises
 * it. */
static inline bool lcu_process_launches_wait (void) { return lcu_process_watched(LCU_WATCH_SYNC); }
/* One more timeline, or one less. */
void lcu_process_watch_times (bool on);
/* The number of states that use the library, after adding to it. */
long lcu_process_add_states (int n);
static inline long lcu_process_states (void) { return lcu_process_add_states(0); }
/* Sets whether children created by fork() are refused from now on. */
void lcu_process_forbid_fork (bool on);

/* For the files that implement the process. `afresh` is called in a forked child that may use
 * CUDA. */
void lcu_process_watch_fork (void (*afresh)(void));
/* GPUs are added before the CPU device. */
void lcu_process_add_device (lcu_device *d);
void lcu_process_forget_devices (void);
size_t lcu_process_device_count (void);

#endif
