/* ptx_isa_table.c: the handlers of one instruction set, by id. */
#include "ptx_handlers.h"
#include "ptx_ids.h"
#include "ptx_isa.h"
#include "ptx_select.h"

#define PTX_LOOP(name) PTX_HANDLER_DECLARE(name)
#define PTX_ISA_FUNCTION(name, access) PTX_HANDLER_DECLARE(name)
#define PTX_PLAIN_FUNCTION(name, access)
#include "ptx_handlers.def"

#define PTX_LOOP(name) [PTX_ID_##name] = { PTX_MASKED(name), PTX_FULL(name) },
#define PTX_ISA_FUNCTION(name, access) [PTX_ID_##name] = { PTX_MASKED(name), PTX_FULL(name) },
#define PTX_PLAIN_FUNCTION(name, access) [PTX_ID_##name] = { ptx_handle_##name, ptx_handle_##name },
static const ptx_handler handlers[PTX_ID_COUNT][2] = {
#include "ptx_handlers.def"
};

extern const ptx_word_loops PTX_CAT(ptx_word_loops, PTX_ISA);
const ptx_isa PTX_CAT(ptx_isa, PTX_ISA) = { LCU_ISA_NAME(PTX_ISA), handlers,
                                            &PTX_CAT(ptx_word_loops, PTX_ISA) };
