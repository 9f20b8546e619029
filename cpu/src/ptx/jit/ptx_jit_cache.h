/* ptx_jit_cache.h: compiled code on the disk, in the folder of the kernel cache and under its rules
 * (lua/luacuda/compile/cache.lua): the name of a file is the digest of all that makes the code, a
 * file is replaced as a whole, and one that is damaged or belongs to somebody else is not used. */
#ifndef PTX_JIT_CACHE_H
#define PTX_JIT_CACHE_H

#include "lcu_mem.h"
#include "ptx.h"

enum { PTX_JIT_KEY_BYTES = 32 };

/* The key of the code that `what` describes, on this processor, with the libLLVM that is found.
 * False: none is found; or with known_only, the folder does not say which one it is. */
bool ptx_jit_cache_key (const ptx_jit_folder *folder, const lcu_buf *what, bool known_only,
                        uint8_t key[PTX_JIT_KEY_BYTES]);

/* False: not there. */
bool ptx_jit_cache_read (const ptx_jit_folder *folder, const uint8_t key[PTX_JIT_KEY_BYTES],
                         lcu_buf *object);
/* Failures do not matter. */
void ptx_jit_cache_write (const ptx_jit_folder *folder, const uint8_t key[PTX_JIT_KEY_BYTES],
                          const lcu_buf *object);

#endif
