/* lcu_deflate.h: zlib streams (RFC 1950), as in PNG pictures. */
#ifndef LCU_DEFLATE_H
#define LCU_DEFLATE_H

#include "lcu_mem.h"

/* Appends a stream of the data to `out`: compressed, or stored as they are where there is no
 * zlib. */
lcu_status lcu_deflate_zlib (const void *in, size_t len, lcu_buf *out);

/* The checksum of the data in such streams ("Adler-32"). */
uint32_t lcu_adler32 (const void *data, size_t len);

#endif
