/* lcul_host.h: the elements of an array as the host reads them: in place, or from a copy. */
#ifndef LCUL_HOST_H
#define LCUL_HOST_H

#include "lcul_array.h"

/* The elements of the array at idx for the host to read, with strides; pushes one value that keeps
 * them until lcul_host_done. Waits for pending work. */
typedef struct lcul_host {
  const char *data;
  int64_t strides[LCUL_MAX_DIMS];
  int keep;
  bool scratch;
} lcul_host;

void lcul_host_read (lua_State *L, int idx, const char *what, lcul_host *out);

void lcul_host_done (lua_State *L, lcul_host *h); /* removes the kept value from the stack */

/* The same for reading the elements in order: large arrays without gaps that the host cannot read
 * in place come piece by piece through one small buffer, because fresh memory for all elements
 * costs as much as the copy. Pushes one or two values that lcul_pieces_done removes. */
typedef struct lcul_pieces {
  lcul_host host;
  bool whole; /* host.data has all elements */
  /* an own handle; its bytes from..until are in the buffer, host.data */
  lcul_array *a;
  char *buffer;
  int64_t from, until;
} lcul_pieces;

void lcul_pieces_open (lua_State *L, int idx, const char *what, lcul_pieces *p);

/* The element `offset` bytes from the first. *n: the number of elements wanted along an axis -> the
 * number available. */
const char *lcul_pieces_at (lua_State *L, lcul_pieces *p, int64_t offset, int64_t *n);

void lcul_pieces_done (lua_State *L, lcul_pieces *p);

#endif
