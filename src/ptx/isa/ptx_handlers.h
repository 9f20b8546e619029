/* ptx_handlers.h: handlers that are compiled once and serve full and masked warps alike. */
#ifndef PTX_HANDLERS_H
#define PTX_HANDLERS_H

#include "ptx_uop.h"

#define PTX_NU(name, ...)
#define PTX_UN(name, ...)
#define PTX_BI(name, ...)
#define PTX_TE(name, ...)
#define PTX_QU(name, ...)
#define PTX_ADDC(name, ...)
#define PTX_SUBB(name, ...)
#define PTX_ISA_FUNCTION(name)
#define PTX_PLAIN_FUNCTION(name) \
  const ptx_uop *ptx_handle_##name(const ptx_uop *I, uint8_t *rf, ptx_warp *w);
#include "ptx_handlers.def"
#undef PTX_NU
#undef PTX_UN
#undef PTX_BI
#undef PTX_TE
#undef PTX_QU
#undef PTX_ADDC
#undef PTX_SUBB
#undef PTX_ISA_FUNCTION
#undef PTX_PLAIN_FUNCTION

#endif
