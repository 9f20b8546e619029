/* ptx_type.c: types and special registers by name. */
#include <string.h>

#include "ptx_op.h"
#include "ptx_sreg.h"

typedef struct type_info {
  const char *name;
  uint8_t bytes, lane;
  bool stored;
} type_info;

static const type_info types[PTX_TYPE_COUNT] = {
  [PTX_NOTYPE] = { "", 0, 4, false },
#define PTX_TYPE(ID, name, bytes, lane, stored) [PTX_##ID] = { name, bytes, lane, stored },
#include "ptx_types.def"
#undef PTX_TYPE
};

ptx_type ptx_type_find (const char *name) {
  for (int t = PTX_NOTYPE + 1; t < PTX_TYPE_COUNT; t++)
    if (types[t].name[0] == name[0] && strcmp(types[t].name, name) == 0) return (ptx_type)t;
  return PTX_NOTYPE;
}

const char *ptx_type_name (ptx_type t) { return types[t].name; }

uint32_t ptx_type_bytes (ptx_type t) { return types[t].bytes; }

uint32_t ptx_type_slot_bytes (ptx_type t) { return types[t].lane * PTX_LANES; }

bool ptx_type_is_stored (ptx_type t) { return types[t].stored; }

const ptx_sreg_info ptx_sregs[PTX_SREG_COUNT] = {
#define PTX_SREG(ID, long_name, reads_as) [PTX_SREG_##ID] = { long_name, PTX_##reads_as },
#include "ptx_sregs.def"
#undef PTX_SREG
};

int ptx_sreg_find (const char *name, size_t len) {
  for (int i = 0; i < PTX_SREG_COUNT; i++)
    if (strncmp(ptx_sregs[i].name, name, len) == 0 && ptx_sregs[i].name[len] == '\0') return i;
  return -1;
}
