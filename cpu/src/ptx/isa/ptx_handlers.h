/* ptx_handlers.h: the handlers that are compiled once and serve full and masked warps alike. */
#ifndef PTX_HANDLERS_H
#define PTX_HANDLERS_H

#include "ptx_uop.h"

#define PTX_LOOP(name)
#define PTX_ISA_FUNCTION(name, access)
#define PTX_PLAIN_FUNCTION(name, access) \
  const ptx_uop *ptx_handle_##name(const ptx_uop *I, uint8_t *rf, ptx_warp *w);
#include "ptx_handlers.def"

#endif
