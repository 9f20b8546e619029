/* ptx_runtime.h: functions that modules may call without defining them. */
#ifndef PTX_RUNTIME_H
#define PTX_RUNTIME_H

#include "ptx_xwarp.h"

/* Fragment i calls f. False: x->w.fault is set. */
bool ptx_runtime_call (ptx_xwarp *x, uint32_t i, const ptx_function *f);

/* ---- ptx_format.c: the text of a kernel's printf */

/* How one call's arguments are read. */
typedef struct ptx_format_source {
  void *ud;
  /* Reads from the argument buffer. */
  bool (*read)(void *ud, uint32_t offset, void *out, uint32_t bytes);
  /* Appends the text at a generic address, up to a NUL or `limit` bytes, and a NUL. */
  bool (*text)(void *ud, uint64_t address, size_t limit, lcu_buf *out);
} ptx_format_source;

/* Appends one call's text. Returns the number of arguments, or -1 when one could not be read. */
int ptx_format (lcu_buf *out, const char *format, const ptx_format_source *source);

#endif
