/* lcu_ipc_format.h: handles of memory and events as strings, which one process gives to another.
 *
 * All numbers are little-endian.
 *   0  "LCUIPC", then the version (1) and the kind (1: array, 2: event)
 *   8  bytes of the whole string (4), CRC-32 of all that follows (4)
 *  16  process: number (4), nonce (16); uuid of the device (16)
 *  52  the driver's handle (64)
 * and of an array:
 * 116  bytes of the memory (8), offset of the first element (8), bytes of an element (4)
 * 136  axes (1), bytes of the dtype's name (1), zero (2)
 * 140  extents (8 each), strides in bytes (8 each), the dtype's name */
#ifndef LCU_IPC_FORMAT_H
#define LCU_IPC_FORMAT_H

#include "lcu_ipc.h"

typedef enum lcu_ipc_kind { LCU_IPC_ARRAY = 1, LCU_IPC_EVENT } lcu_ipc_kind;
enum { LCU_IPC_DIMS = 16, LCU_IPC_NAME = 255 };

typedef struct lcu_ipc_handle {
  lcu_ipc_kind kind;
  lcu_ipc_process process;
  cu_uuid uuid;
  char bytes[64]; /* cu_ipc_memory or cu_ipc_event */
  /* of an array */
  uint64_t memory;
  int64_t offset;
  uint32_t element;
  int ndim;
  int64_t shape[LCU_IPC_DIMS], strides[LCU_IPC_DIMS];
  char dtype[LCU_IPC_NAME + 1];
} lcu_ipc_handle;

enum { LCU_IPC_LONGEST = 140 + 16 * LCU_IPC_DIMS + LCU_IPC_NAME };
/* Writes the string and returns its length, at most LCU_IPC_LONGEST. */
size_t lcu_ipc_write (const lcu_ipc_handle *h, unsigned char *out);
/* Reads any bytes; LCU_E_SYNTAX says what is wrong with them. What it reads is well-formed: each
 * number may still be any. */
lcu_status lcu_ipc_read (const void *data, size_t len, lcu_ipc_handle *out);

#endif
