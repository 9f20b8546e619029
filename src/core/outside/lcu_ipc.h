/* lcu_ipc.h: memory and events of several processes. One process makes them and gives a handle
 * away, another opens the handle. */
#ifndef LCU_IPC_H
#define LCU_IPC_H

#include "lcu_block.h"

/* The name of a process: no other process has it, even one with the same number. */
typedef struct lcu_ipc_process {
  uint32_t pid;
  unsigned char nonce[16];
} lcu_ipc_process;

/* `size` bytes of memory that other processes can open. */
lcu_status lcu_ipc_alloc (lcu_device *d, size_t size, lcu_block **out);
/* The driver's handle of such a block, and the process that made the memory. */
lcu_status lcu_ipc_handle_of (lcu_block *b, cu_ipc_memory *out, lcu_ipc_process *maker);
/* The live block of this handle, made or opened by this process, with a reference; NULL: none. */
lcu_block *lcu_ipc_find (lcu_device *d, const cu_ipc_memory *h);
/* The memory of another process, of `size` bytes. Memory that is open already is the same block. */
lcu_status lcu_ipc_open (lcu_device *d, const cu_ipc_memory *h, const lcu_ipc_process *maker,
                         size_t size, lcu_block **out);


/* ---- names of processes and devices ---- */

/* The name of this process; a child gets one of its own. */
lcu_status lcu_ipc_self (lcu_ipc_process *out);
lcu_status lcu_ipc_uuid (lcu_device *d, cu_uuid *out);
/* The device with that uuid; *out NULL: this process has none. */
lcu_status lcu_ipc_device (const cu_uuid *uuid, lcu_device **out);

#endif
