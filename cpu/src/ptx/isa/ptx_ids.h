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

/* What a handler does to memory, for the checks. */
typedef enum ptx_access {
  PTX_ACCESS_NONE,
  PTX_ACCESS_LOAD,
  PTX_ACCESS_STORE,
  PTX_ACCESS_ATOMIC,
  PTX_ACCESS_SYNC,    /* of a barrier object: meant to meet other threads */
  PTX_ACCESS_ARRIVAL, /* the same; what came before it is done for those that wait */
  PTX_ACCESS_SPANS    /* writes spans: ptx_bulk_spans */
} ptx_access;
extern const uint8_t ptx_id_access[PTX_ID_COUNT];

/* "add_b32" */
extern const char *const ptx_id_names[PTX_ID_COUNT];

/* The handler of that name, 0 when there is none. */
uint16_t ptx_id_find (const char *name);

#endif
