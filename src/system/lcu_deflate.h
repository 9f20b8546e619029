/* lcu_deflate.h: compressed data: "deflate" streams (RFC 1951), as in zip archives, and zlib
 * streams (RFC 1950), as in PNG pictures. zlib packs and unpacks them. Without it only streams that
 * are not compressed are written and read, so that pictures can still be saved and read back. */
#ifndef LCU_DEFLATE_H
#define LCU_DEFLATE_H

#include "lcu_mem.h"

/* Appends a stream of the data to `out`: compressed, or stored as they are where there is no
 * zlib. */
lcu_status lcu_deflate_zlib (const void *in, size_t len, lcu_buf *out);

/* The checksum of the data in such streams ("Adler-32"). */
uint32_t lcu_adler32 (const void *data, size_t len);

/* LCU_E_SYNTAX where no stream of `len` bytes holds `size` bytes. For a caller who takes memory for
 * a size that is only claimed. */
lcu_status lcu_inflate_check (size_t len, uint64_t size);

/* Unpacks the stream at the start of the `len` bytes at `in`. It must hold exactly `size` bytes,
 * which are written to `out` (not NULL). Bytes after the stream are not looked at. LCU_E_SYNTAX:
 * the stream is damaged, cut off or of another size. LCU_E_NOT_FOUND: it is compressed, and there
 * is no zlib. */
lcu_status lcu_inflate (const void *in, size_t len, void *out, size_t size);
/* The same for the first `size` bytes of a stream that may hold more. */
lcu_status lcu_inflate_part (const void *in, size_t len, void *out, size_t size);
lcu_status lcu_inflate_zlib (const void *in, size_t len, void *out, size_t size);

#endif
