/* ptx_ids.h: a number for every handler of ptx_handlers.def; 0 is none. */
#ifndef PTX_IDS_H
#define PTX_IDS_H

#include "lcu_base.h"

typedef enum ptx_id {
  PTX_ID_none,
#define PTX_HANDLER(name) PTX_ID_##name,
#include "ptx_handlers.def"
  PTX_ID_COUNT
} ptx_id;

/* "add_b32" */
extern const char *const ptx_id_names[PTX_ID_COUNT];

/* The handler of that name, 0 when there is none. */
uint16_t ptx_id_find (const char *name);

#endif
