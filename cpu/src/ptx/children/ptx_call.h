/* ptx_call.h: a call of a function that the module does not define, by the lanes of a fragment. */
#ifndef PTX_CALL_H
#define PTX_CALL_H

#include "ptx_xwarp.h"

typedef struct ptx_call {
  ptx_xwarp *x;
  const ptx_frame *frame;
  const ptx_inst *inst;
  uint32_t mask;
} ptx_call;

/* Runs it for all lanes of c->mask. False: c->x->w.fault is set. */
typedef bool (*ptx_call_fn)(const ptx_call *c);

/* One lane's argument: its first 8 bytes, or all `bytes` of a structure (zeros where it has
 * fewer). */
uint64_t ptx_call_value (const ptx_call *c, uint32_t index, uint32_t lane);
void ptx_call_struct (const ptx_call *c, uint32_t index, uint32_t lane, void *out, uint32_t bytes);
/* Sets the result, of up to 8 bytes. */
void ptx_call_return (const ptx_call *c, uint32_t lane, uint64_t value);

/* Calls run(c, lane) for each of its lanes, whose cudaError_t it returns; negative: a fault. */
bool ptx_call_each (const ptx_call *c, int (*run)(const ptx_call *c, uint32_t lane));
/* Stores to the address that is argument `index`. Returns 0, or -1 for a fault. */
int ptx_call_store (const ptx_call *c, uint32_t index, uint32_t lane, const void *value,
                    uint32_t bytes);

/* ---- ptx_device_info.c: functions of the device runtime that ask for properties */

bool ptx_call_attribute (const ptx_call *c);
bool ptx_call_limit (const ptx_call *c);
bool ptx_call_device (const ptx_call *c);
bool ptx_call_device_count (const ptx_call *c);
bool ptx_call_version (const ptx_call *c);
bool ptx_call_cache_config (const ptx_call *c);
bool ptx_call_bank_config (const ptx_call *c);
bool ptx_call_func_attributes (const ptx_call *c);
bool ptx_call_occupancy (const ptx_call *c);
bool ptx_call_error_name (const ptx_call *c);
bool ptx_call_error_words (const ptx_call *c);

/* ---- ptx_device_runtime.c */

/* A function of CUDA's device runtime; NULL when it has none of that name. */
ptx_call_fn ptx_device_runtime_find (const char *name);

#endif
