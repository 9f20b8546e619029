/* ptx_type.c: types and special registers by name. */
#include <string.h>

#include "ptx_op.h"
#include "ptx_sreg.h"

typedef struct type_info {
  const char *name;
  uint32_t bytes;
} type_info;

static const type_info types[PTX_TYPE_COUNT] = {
  [PTX_NOTYPE] = { "", 0 },
  [PTX_PRED] = { "pred", 0 },
  [PTX_B8] = { "b8", 1 },
  [PTX_B16] = { "b16", 2 },
  [PTX_B32] = { "b32", 4 },
  [PTX_B64] = { "b64", 8 },
  [PTX_B128] = { "b128", 16 },
  [PTX_U8] = { "u8", 1 },
  [PTX_U16] = { "u16", 2 },
  [PTX_U32] = { "u32", 4 },
  [PTX_U64] = { "u64", 8 },
  [PTX_S8] = { "s8", 1 },
  [PTX_S16] = { "s16", 2 },
  [PTX_S32] = { "s32", 4 },
  [PTX_S64] = { "s64", 8 },
  [PTX_F16] = { "f16", 2 },
  [PTX_F16X2] = { "f16x2", 4 },
  [PTX_BF16] = { "bf16", 2 },
  [PTX_BF16X2] = { "bf16x2", 4 },
  [PTX_F32] = { "f32", 4 },
  [PTX_F64] = { "f64", 8 },
  [PTX_TF32] = { "tf32", 4 },
  [PTX_E4M3] = { "e4m3", 1 },
  [PTX_E5M2] = { "e5m2", 1 },
  [PTX_E4M3X2] = { "e4m3x2", 2 },
  [PTX_E5M2X2] = { "e5m2x2", 2 },
  [PTX_E2M3X2] = { "e2m3x2", 2 },
  [PTX_E3M2X2] = { "e3m2x2", 2 },
  [PTX_E2M1X2] = { "e2m1x2", 1 },
  [PTX_UE8M0X2] = { "ue8m0x2", 2 },
  [PTX_U16X2] = { "u16x2", 4 },
  [PTX_S16X2] = { "s16x2", 4 },
  [PTX_B1] = { "b1", 0 },
  [PTX_S4] = { "s4", 0 },
  [PTX_U4] = { "u4", 0 },
  [PTX_S2] = { "s2", 0 },
  [PTX_U2] = { "u2", 0 },
  [PTX_F32X2] = { "f32x2", 8 },
  [PTX_B8X16] = { "b8x16", 0 },
  [PTX_B6X16_P32] = { "b6x16_p32", 0 },
  [PTX_B4X16_P64] = { "b4x16_p64", 0 },
  [PTX_B1024] = { "b1024", 0 },
  [PTX_E3M2] = { "e3m2", 0 },
  [PTX_E2M3] = { "e2m3", 0 },
  [PTX_E2M1] = { "e2m1", 0 },
  [PTX_UE8M0] = { "ue8m0", 1 },
  [PTX_UE4M3] = { "ue4m3", 1 },
};

ptx_type ptx_type_find (const char *name) {
  for (int t = PTX_NOTYPE + 1; t < PTX_TYPE_COUNT; t++)
    if (types[t].name[0] == name[0] && strcmp(types[t].name, name) == 0) return (ptx_type)t;
  return PTX_NOTYPE;
}

const char *ptx_type_name (ptx_type t) { return types[t].name; }

uint32_t ptx_type_bytes (ptx_type t) { return types[t].bytes; }

bool ptx_type_is_stored (ptx_type t) {
  return (t >= PTX_B8 && t <= PTX_S64) || t == PTX_F16 || t == PTX_F16X2 || t == PTX_F32 ||
         t == PTX_F64;
}

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
