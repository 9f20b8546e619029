/* ptx_match.h: the meaning of an instruction's dotted parts, for matching and decoding. */
#ifndef PTX_MATCH_H
#define PTX_MATCH_H

#include "ptx_ast.h"

/* What the decoder does with an operation: ptx_decode_<kind>. alu: one handler named after the
 * instruction; operands d, a, b, c, fourth source. */
/* clang-format off */
#define PTX_DECODE_KINDS(X) \
  X(alu) X(setp) X(set) X(selp) X(mov) X(cvt) X(cvta) X(isspacep) X(ld) X(st) X(atom) X(lop3) \
  X(nothing) X(fence) X(bra) X(brx) X(end) X(call) X(bar) X(shfl) X(vote) X(match) X(redux) \
  X(elect) X(nanosleep) X(barrier_cluster) X(mapa) X(video) X(simd) X(cp_async) X(cp_group) \
  X(cp_bulk) X(cp_tensor) X(st_async) X(st_bulk) X(createpolicy) X(stack) X(try_cancel) \
  X(query_cancel) X(mbarrier) X(tex) X(txq) X(suld) X(sust) X(sured) X(istypep) X(wmma) X(mma) \
  X(ldmatrix) X(movmatrix) X(wgmma) X(tensormap_replace) X(tensormap_copy) \
  X(setmaxnreg) X(griddepcontrol)
/* clang-format on */
typedef enum ptx_decode_kind {
#define X(n) PTX_DEC_##n,
  PTX_DECODE_KINDS(X)
#undef X
} ptx_decode_kind;

/* The type to look for when no handler has exactly the written one. */
typedef enum ptx_fallback {
  PTX_EXACT,
  PTX_INT,     /* u32, s32 -> b32 */
  PTX_BITS,    /* any -> b of the same size */
  PTX_UNSIGNED /* b32 -> u32 */
} ptx_fallback;

/* Kinds of parts. A part of several kinds counts as the first one that its row accepts. */
enum {
  PTX_P_ROUND = 1u << 0, /* rn rz rm rp */
  PTX_P_FTZ = 1u << 1,
  PTX_P_SAT = 1u << 2,
  PTX_P_APPROX = 1u << 3,
  PTX_P_CC = 1u << 4,
  PTX_P_PART = 1u << 5, /* lo hi wide */
  PTX_P_CMP = 1u << 6,
  PTX_P_BOOL = 1u << 7, /* and or xor after a comparison */
  PTX_P_SPACE = 1u << 8,
  PTX_P_VEC = 1u << 9,
  PTX_P_ORDER = 1u << 10, /* memory order, scope, cache and eviction hints */
  PTX_P_MODE = 1u << 11,  /* the variant of the operation: enum ptx_mode */
  PTX_P_CLAMP = 1u << 12, /* clamp wrap */
  PTX_P_SHIFTAMT = 1u << 13,
  PTX_P_TO = 1u << 14,
  PTX_P_SYNC = 1u << 15, /* sync aligned */
  PTX_P_UNI = 1u << 16,
  PTX_P_RELU = 1u << 17,
  PTX_P_NAN = 1u << 18,     /* NaN: min and max that propagate */
  PTX_P_XORSIGN = 1u << 19, /* xorsign, abs */
  PTX_P_NOFTZ = 1u << 20,
  PTX_P_SATFINITE = 1u << 21,
  PTX_P_RED = 1u << 22,      /* bar.red */
  PTX_P_LEVEL = 1u << 23,    /* L1 L2 of prefetch, proxies of fence: without effect here */
  PTX_P_INTEGRAL = 1u << 25, /* rni rzi rmi rpi rna: of conversions */
  /* of barrier objects: parity, expect_tx ...; the source space of cp.async */
  PTX_P_ASYNC = 1u << 24,
  PTX_P_GEOMETRY = 1u << 26, /* 1d 2d 3d a1d a2d cube acube */
  PTX_P_BOUNDARY = 1u << 27, /* trap clamp zero: outside of a surface */
  PTX_P_QUERY = 1u << 28,    /* attributes of textures: enum ptx_query */
  PTX_P_UNITS = 1u << 29,    /* b p: surfaces are accessed as bytes or as texels */
  PTX_P_TENSOR = 1u << 30,   /* shapes and layouts of matrices */
  PTX_P_SCALE = 1u << 31     /* shr7 shr15: of vmad */
};

/* ptx_match.mods */
enum {
  PTX_M_FTZ = 1u << 0,
  PTX_M_SAT = 1u << 1,
  PTX_M_APPROX = 1u << 2,
  PTX_M_CC = 1u << 3,
  /* volatile, relaxed, acquire, release, acq_rel, mmio: may meet other threads */
  PTX_M_VOLATILE = 1u << 4,
  PTX_M_ACQUIRE = 1u << 5,
  PTX_M_RELEASE = 1u << 6,
  PTX_M_CLAMP = 1u << 7,
  PTX_M_WRAP = 1u << 8,
  PTX_M_SHIFTAMT = 1u << 9,
  PTX_M_TO = 1u << 10,
  PTX_M_RELU = 1u << 11,
  PTX_M_NAN = 1u << 12,
  PTX_M_XORSIGN = 1u << 13,
  PTX_M_SATFINITE = 1u << 14,
  PTX_M_NC = 1u << 15,
  PTX_M_ALIGNED = 1u << 16,
  PTX_M_SYNC = 1u << 17,
  PTX_M_PARITY = 1u << 18,
  PTX_M_EXPECT_TX = 1u << 19,
  PTX_M_NOINC = 1u << 20,
  PTX_M_FROM_GLOBAL = 1u << 21,
  PTX_M_CACHE_HINT = 1u << 22, /* one more operand: a cache policy */
  PTX_M_ZERO = 1u << 23,
  PTX_M_TRAP = 1u << 24,
  PTX_M_BYTES = 1u << 25,
  PTX_M_TEXELS = 1u << 26,
  PTX_M_COMPLETE_TX = 1u << 27, /* completion by a barrier object */
  PTX_M_MULTICAST = 1u << 28,
  PTX_M_BULK_GROUP = 1u << 29,
  PTX_M_FROM_SHARED = 1u << 30
};
#define PTX_M_ABS (1u << 31) /* no enumerator: these are ints */

typedef enum ptx_round {
  PTX_ROUND_NONE,
  PTX_ROUND_RN,
  PTX_ROUND_RZ,
  PTX_ROUND_RM,
  PTX_ROUND_RP,
  PTX_ROUND_RNI,
  PTX_ROUND_RZI,
  PTX_ROUND_RMI,
  PTX_ROUND_RPI,
  PTX_ROUND_RNA
} ptx_round;

typedef enum ptx_mul_part { PTX_PART_NONE, PTX_PART_LO, PTX_PART_HI, PTX_PART_WIDE } ptx_mul_part;

/* clang-format off */
#define PTX_COMPARISONS(X) \
  X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(lo) X(ls) X(hi) X(hs) \
  X(equ) X(neu) X(ltu) X(leu) X(gtu) X(geu) X(num) X(nan)
/* clang-format on */
typedef enum ptx_compare {
  PTX_CMP_none,
#define X(n) PTX_CMP_##n,
  PTX_COMPARISONS(X)
#undef X
    PTX_CMP_COUNT
} ptx_compare;

typedef enum ptx_bool_op { PTX_BOOL_NONE, PTX_BOOL_AND, PTX_BOOL_OR, PTX_BOOL_XOR } ptx_bool_op;

/* clang-format off */
#define PTX_MODES(X) \
  X(add) X(min) X(max) X(inc) X(dec) X(exch) X(cas) X(and) X(or) X(xor) X(popc) \
  X(all) X(any) X(uni) X(ballot) X(up) X(down) X(bfly) X(idx) \
  X(arrive) X(warp) X(l) X(r) X(f4e) X(b4e) X(rc8) X(ecl) X(ecr) X(rc16) \
  X(finite) X(infinite) X(number) X(notanumber) X(normal) X(subnormal) X(pack) X(b) \
  X(g) X(a) X(base) X(level) X(grad) X(x1) X(x2) X(x4) X(po) X(full) \
  X(block_scale)
/* clang-format on */
typedef enum ptx_mode {
  PTX_MODE_none,
#define X(n) PTX_MODE_##n,
  PTX_MODES(X)
#undef X
    PTX_MODE_COUNT
} ptx_mode;

/* What an instruction asks for: of textures; istypep; clusterlaunchcontrol; fields of tensor
 * maps. */
/* clang-format off */
#define PTX_QUERIES(X) \
  X(width) X(height) X(depth) X(channel_data_type) X(channel_order) X(normalized_coords) \
  X(array_size) X(num_mipmap_levels) X(num_samples) \
  X(force_unnormalized_coords) X(filter_mode) X(addr_mode_0) X(addr_mode_1) X(addr_mode_2) \
  X(memory_layout) X(texref) X(samplerref) X(surfref) \
  X(is_canceled) X(get_first_ctaid) \
  X(global_address) X(rank) X(box_dim) X(global_dim) X(global_stride) X(element_stride) \
  X(elemtype) X(interleave_layout) X(swizzle_mode) X(fill_mode)
/* clang-format on */
typedef enum ptx_query {
  PTX_QUERY_none,
#define X(n) PTX_QUERY_##n,
  PTX_QUERIES(X)
#undef X
    PTX_QUERY_COUNT,
  /* get_first_ctaid::x and so on; multicast::cluster::all; of copies of tensors */
  PTX_QUERY_first_x = PTX_QUERY_COUNT,
  PTX_QUERY_first_y,
  PTX_QUERY_first_z,
  PTX_QUERY_all_blocks,
  PTX_QUERY_im2col, /* modes of tensor maps */
  PTX_QUERY_im2col_no_offs,
  PTX_QUERY_gather4,
  PTX_QUERY_scatter4,
  PTX_QUERY_cp_mask,
  PTX_QUERY_f8f6f4,   /* kinds of mma: kind::f8f6f4 */
  PTX_QUERY_mxf8f6f4, /* these with scales of blocks */
  PTX_QUERY_mxf4,
  PTX_QUERY_mxf4nvf4
} ptx_query;

/* clang-format off */
#define PTX_SHAPES_OF_TENSORS(X) \
  X(m8n8k4) X(m8n8k16) X(m8n8k32) X(m8n8k128) X(m8n32k16) X(m32n8k16) X(m16n16k8) X(m16n16k16) \
  X(m16n8k4) X(m16n8k8) X(m16n8k16) X(m16n8k32) X(m16n8k64) X(m16n8k128) X(m16n8k256) \
  X(m8n8) X(m8n16) X(m16n8) X(m16n16)
/* clang-format on */
typedef enum ptx_tensor_shape {
  PTX_SHAPE_none,
#define X(n) PTX_SHAPE_##n,
  PTX_SHAPES_OF_TENSORS(X)
#undef X
    PTX_SHAPE_two, /* more than one was written */
  PTX_SHAPE_group  /* of wgmma: m64, n and k are in the match */
} ptx_tensor_shape;

/* ptx_match.layouts: two bits each, the last one lowest. As the value of a part, after a bit that
 * no shape has. */
enum { PTX_LAYOUT_row = 1, PTX_LAYOUT_col = 2, PTX_LAYOUT_trans = 3, PTX_IS_LAYOUT = 64 };
/* Shapes of wgmma, as the value of a part: n / 8 and k / 8 follow in the next two bytes. */
enum { PTX_IS_GROUP = 128 };
/* N of scale_vec::NX follows in the same byte. */
enum { PTX_IS_SCALES = 32 };

extern const char *const ptx_mode_names[PTX_MODE_COUNT];

/* Writes the instruction as it was written, "ld.global.v4.f32", to out. */
void ptx_inst_name (const ptx_inst *inst, char *out, size_t size);

/* Finds the row of ptx_ops.def and fills inst->match. On failure the message names the instruction:
 * "PTX `wmma.load.a` is not supported". */
lcu_status ptx_match_inst (ptx_inst *inst);

static inline bool ptx_type_is_float (ptx_type t) {
  return (t >= PTX_F16 && t <= PTX_TF32) || t == PTX_F32X2;
}
/* Is it f32 arithmetic with operands that are halves: add.f32.f16? */
static inline bool ptx_match_is_mixed (const ptx_match *m) {
  return m->num_types == 2 && m->type == PTX_F32 && (m->type2 == PTX_F16 || m->type2 == PTX_BF16) &&
         m->op->decode == PTX_DEC_alu;
}
static inline bool ptx_type_is_signed (ptx_type t) { return t >= PTX_S8 && t <= PTX_S64; }

#endif
