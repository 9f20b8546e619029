/* cpu_share.h: blocks of memory that several processes share. */
#ifndef CPU_SHARE_H
#define CPU_SHARE_H

#include "cpu_map.h"

/* Makes n bytes that other processes can open. They are not in the map yet, nor counted. */
cu_result cpu_share_make (const char *call, size_t n, cpu_block **out);
/* Closes memory of another process that begins at the address; *last: it was open only once. */
cu_result cpu_share_close (cu_deviceptr p, bool *last);

#endif
