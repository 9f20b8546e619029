/* ptx_isa_table.c: the handlers of one instruction set by id. */
#include "ptx_handlers.h"
#include "ptx_ids.h"
#include "ptx_isa.h"
#include "ptx_select.h"

#undef PTX_NU
#undef PTX_UN
#undef PTX_BI
#undef PTX_TE
#undef PTX_QU
#undef PTX_ADDC
#undef PTX_SUBB

#define PTX_NU(name, ...) PTX_ISA_FUNCTION(name)
#define PTX_UN(name, ...) PTX_ISA_FUNCTION(name)
#define PTX_BI(name, ...) PTX_ISA_FUNCTION(name)
#define PTX_TE(name, ...) PTX_ISA_FUNCTION(name)
#define PTX_QU(name, ...) PTX_ISA_FUNCTION(name)
#define PTX_ADDC(name, ...) PTX_ISA_FUNCTION(name)
#define PTX_SUBB(name, ...) PTX_ISA_FUNCTION(name)

#define PTX_ISA_FUNCTION(name) PTX_HANDLER_DECLARE(name)
#define PTX_PLAIN_FUNCTION(name)
#include "ptx_handlers.def"
#undef PTX_ISA_FUNCTION
#undef PTX_PLAIN_FUNCTION

#define PTX_ISA_FUNCTION(name) [PTX_ID_##name] = { PTX_MASKED(name), PTX_FULL(name) },
#define PTX_PLAIN_FUNCTION(name) [PTX_ID_##name] = { ptx_handle_##name, ptx_handle_##name },
static const ptx_handler handlers[PTX_ID_COUNT][2] = {
#include "ptx_handlers.def"
};

#define PTX_TEXT_(x) #x
#define PTX_TEXT(x) PTX_TEXT_(x)
const ptx_isa PTX_CAT(ptx_isa, PTX_ISA) = { PTX_ISA_PREFIX PTX_TEXT(PTX_ISA), handlers };
