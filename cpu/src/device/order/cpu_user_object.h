/* cpu_user_object.h: objects of the program that graphs hold references to. A body holds what its
 * graph held, so that a launch in flight keeps them.
 *
 * An object whose last reference is gone is destroyed by a function of the program, without the
 * lock: after the calls that may drop references comes cpu_user_objects_end. */
#ifndef CPU_USER_OBJECT_H
#define CPU_USER_OBJECT_H

#include "cpu_driver.h"

/* What one graph or body holds; a list. */
typedef struct cpu_holding cpu_holding;

/* The next two need the lock of graphs. */
/* Adds one reference to each of the objects; false when out of memory. */
bool cpu_holdings_copy (const cpu_holding *from, cpu_holding **to);
void cpu_holdings_drop (cpu_holding **list);

/* Destroys the objects that nobody holds any more. Takes the lock. */
void cpu_user_objects_end (void);

#endif
