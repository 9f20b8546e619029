/* ptx_match.c: the dotted parts of an instruction -> its row, types, flags and handler. */
#include "ptx_match.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "ptx_ids.h"
#include "ptx_operands.h"
#include "ptx_texture.h"

/* ---- the table ---- */

static const ptx_op ops[] = {
#define PTX_OP(opcode_, form_, decode_, fallback_, parts_, flags_, section_) \
  { .opcode = #opcode_, \
    .section = section_, \
    .form = form_, \
    .flags = flags_, \
    .decode = PTX_DEC_##decode_, \
    .fallback = PTX_##fallback_, \
    .parts = parts_ },
#include "ptx_ops.def"
#undef PTX_OP
};

static const char *const compare_names[PTX_CMP_COUNT] = { "",
#define X(n) #n,
                                                          PTX_COMPARISONS(X)
#undef X
};

const char *const ptx_mode_names[PTX_MODE_COUNT] = { "",
#define X(n) #n,
                                                     PTX_MODES(X)
#undef X
};

/* ---- rows by opcode: open addressing, filled once ---- */

enum { OPCODE_BUCKETS = 512 };
static uint8_t opcode_buckets[OPCODE_BUCKETS]; /* index + 1 */
static pthread_once_t opcodes_once = PTHREAD_ONCE_INIT;

_Static_assert(lcu_arraylen(ops) < 250, "buckets holds bytes and needs room");

static uint32_t hash_opcode (const char *s) {
  uint32_t h = 2166136261u;
  for (; *s != '\0'; s++) h = (h ^ (uint8_t)*s) * 16777619u;
  return h ^ (h >> 15);
}

static void fill_buckets (void) {
  for (size_t i = 0; i < lcu_arraylen(ops); i++) {
    uint32_t h = hash_opcode(ops[i].opcode) % OPCODE_BUCKETS;
    while (opcode_buckets[h] != 0) h = (h + 1) % OPCODE_BUCKETS;
    opcode_buckets[h] = (uint8_t)(i + 1);
  }
}

static const ptx_op *op_find (const char *opcode) {
  pthread_once(&opcodes_once, fill_buckets);
  for (uint32_t h = hash_opcode(opcode) % OPCODE_BUCKETS; opcode_buckets[h] != 0;
       h = (h + 1) % OPCODE_BUCKETS)
    if (strcmp(ops[opcode_buckets[h] - 1].opcode, opcode) == 0) return &ops[opcode_buckets[h] - 1];
  return NULL;
}

/* Operations that have nothing in common with that of the first part but the word. */
static bool is_another (const ptx_inst *inst) {
  static const char *const names[][2] = {
    { "barrier", "cluster" }, { "st", "async" }, { "st", "bulk" }, { "red", "async" }
  };
  if (inst->num_parts < 2) return false;
  for (size_t i = 0; i < lcu_arraylen(names); i++)
    if (strcmp(inst->parts[1], names[i][1]) == 0 && strcmp(inst->parts[0], names[i][0]) == 0)
      return true;
  return false;
}

/* The row that the longest sequence of parts names; *used is the number of parts. */
static const ptx_op *op_of (const ptx_inst *inst, uint32_t *used) {
  enum { MOST = 5 };
  char name[64];
  const ptx_op *op = is_another(inst) ? NULL : op_find(inst->parts[0]);
  *used = 1;
  if (op != NULL) return op;
  for (uint32_t n = inst->num_parts < MOST ? inst->num_parts : MOST; n > 1 && op == NULL; n--) {
    size_t len = 0;
    for (uint32_t i = 0; i < n && len < sizeof name; i++)
      len += (size_t)snprintf(name + len, sizeof name - len, "%s%s", i ? "." : "", inst->parts[i]);
    if (len < sizeof name) op = op_find(name);
    *used = n;
  }
  return op;
}

/* ---- parts ---- */

typedef struct part_word {
  const char *word;
  uint32_t kind;
  uint32_t value;
} part_word;

static const part_word part_words[] = {
  { "rn", PTX_P_ROUND, PTX_ROUND_RN },
  { "rz", PTX_P_ROUND, PTX_ROUND_RZ },
  { "rm", PTX_P_ROUND, PTX_ROUND_RM },
  { "rp", PTX_P_ROUND, PTX_ROUND_RP },
  { "rni", PTX_P_INTEGRAL, PTX_ROUND_RNI },
  { "rzi", PTX_P_INTEGRAL, PTX_ROUND_RZI },
  { "rmi", PTX_P_INTEGRAL, PTX_ROUND_RMI },
  { "rpi", PTX_P_INTEGRAL, PTX_ROUND_RPI },
  { "rna", PTX_P_INTEGRAL, PTX_ROUND_RNA },
  { "ftz", PTX_P_FTZ, PTX_M_FTZ },
  { "sat", PTX_P_SAT, PTX_M_SAT },
  { "approx", PTX_P_APPROX, PTX_M_APPROX },
  { "cc", PTX_P_CC, PTX_M_CC },
  { "noftz", PTX_P_NOFTZ, 0 },
  { "lo", PTX_P_PART, PTX_PART_LO },
  { "hi", PTX_P_PART, PTX_PART_HI },
  { "wide", PTX_P_PART, PTX_PART_WIDE },
  { "and", PTX_P_BOOL, PTX_BOOL_AND },
  { "or", PTX_P_BOOL, PTX_BOOL_OR },
  { "xor", PTX_P_BOOL, PTX_BOOL_XOR },
  { "global", PTX_P_SPACE, PTX_GLOBAL },
  { "shared", PTX_P_SPACE, PTX_SHARED },
  { "local", PTX_P_SPACE, PTX_LOCAL },
  { "const", PTX_P_SPACE, PTX_CONST },
  { "param", PTX_P_SPACE, PTX_PARAM },
  { "shared::cta", PTX_P_SPACE, PTX_SHARED },
  { "shared::cluster", PTX_P_SPACE, PTX_CLUSTER },
  { "param::entry", PTX_P_SPACE, PTX_PARAM },
  { "param::func", PTX_P_SPACE, PTX_PARAM },
  { "v2", PTX_P_VEC, 2 },
  { "v4", PTX_P_VEC, 4 },
  { "v8", PTX_P_VEC, 8 },
  { "volatile", PTX_P_ORDER, PTX_M_VOLATILE },
  { "mmio", PTX_P_ORDER, PTX_M_VOLATILE },
  { "relaxed", PTX_P_ORDER, PTX_M_VOLATILE },
  { "acquire", PTX_P_ORDER, PTX_M_VOLATILE | PTX_M_ACQUIRE },
  { "release", PTX_P_ORDER, PTX_M_VOLATILE | PTX_M_RELEASE },
  { "acq_rel", PTX_P_ORDER, PTX_M_VOLATILE | PTX_M_ACQUIRE | PTX_M_RELEASE },
  { "sc", PTX_P_ORDER, PTX_M_VOLATILE | PTX_M_ACQUIRE | PTX_M_RELEASE },
  { "nc", PTX_P_ORDER, PTX_M_NC },
  { "weak", PTX_P_ORDER, 0 },
  { "cta", PTX_P_ORDER, 0 },
  { "gpu", PTX_P_ORDER, 0 },
  { "gl", PTX_P_ORDER, 0 },
  { "sys", PTX_P_ORDER, 0 },
  { "cluster", PTX_P_ORDER, 0 },
  { "unified", PTX_P_ORDER, 0 },
  { "ca", PTX_P_ORDER, 0 },
  { "cg", PTX_P_ORDER, 0 },
  { "cs", PTX_P_ORDER, 0 },
  { "lu", PTX_P_ORDER, 0 },
  { "cv", PTX_P_ORDER, 0 },
  { "wb", PTX_P_ORDER, 0 },
  { "wt", PTX_P_ORDER, 0 },
  { "evict_last", PTX_P_ORDER, 0 },
  { "evict_normal", PTX_P_ORDER, 0 },
  { "fractional", PTX_P_LEVEL, 0 },
  { "range", PTX_P_LEVEL, 0 },
  { "cvt", PTX_P_LEVEL, 0 },
  { "mbarrier_init", PTX_P_LEVEL, 0 },
  { "tensormap::generic", PTX_P_LEVEL, 0 },
  { "async::generic", PTX_P_LEVEL, 0 },
  { "sync_restrict::shared::cta", PTX_P_LEVEL, 0 },
  { "sync_restrict::shared::cluster", PTX_P_LEVEL, 0 },
  { "L1", PTX_P_LEVEL, 0 },
  { "L2", PTX_P_LEVEL, 0 },
  { "tensormap", PTX_P_LEVEL, 0 },
  { "mask", PTX_P_LEVEL, 0 },
  { "proxy", PTX_P_LEVEL, 0 },
  { "alias", PTX_P_LEVEL, 0 },
  { "async", PTX_P_LEVEL, 0 },
  { "clamp", PTX_P_CLAMP, PTX_M_CLAMP },
  { "wrap", PTX_P_CLAMP, PTX_M_WRAP },
  { "shiftamt", PTX_P_SHIFTAMT, PTX_M_SHIFTAMT },
  { "to", PTX_P_TO, PTX_M_TO },
  { "sync", PTX_P_SYNC, PTX_M_SYNC },
  { "aligned", PTX_P_SYNC, PTX_M_ALIGNED },
  { "uni", PTX_P_UNI, 0 },
  { "relu", PTX_P_RELU, PTX_M_RELU },
  { "NaN", PTX_P_NAN, PTX_M_NAN },
  { "xorsign", PTX_P_XORSIGN, PTX_M_XORSIGN },
  { "abs", PTX_P_XORSIGN, PTX_M_ABS },
  { "satfinite", PTX_P_SATFINITE, PTX_M_SATFINITE },
  { "red", PTX_P_RED, 0 },
  { "global", PTX_P_ASYNC, PTX_M_FROM_GLOBAL }, /* after the destination's space */
  { "shared::cta", PTX_P_ASYNC, PTX_M_FROM_SHARED },
  { "mbarrier::complete_tx::bytes", PTX_P_ASYNC, PTX_M_COMPLETE_TX },
  { "multicast::cluster", PTX_P_ASYNC, PTX_M_MULTICAST },
  { "bulk_group", PTX_P_ASYNC, PTX_M_BULK_GROUP },
  { "read", PTX_P_ASYNC, 0 },
  { "L2::cache_hint", PTX_P_ASYNC, PTX_M_CACHE_HINT },
  { "parity", PTX_P_ASYNC, PTX_M_PARITY },
  { "expect_tx", PTX_P_ASYNC, PTX_M_EXPECT_TX },
  { "noinc", PTX_P_ASYNC, PTX_M_NOINC },
  { "noComplete", PTX_P_ASYNC, 0 }, /* a hint */
  { "1d", PTX_P_GEOMETRY, PTX_GEO_1D },
  { "2d", PTX_P_GEOMETRY, PTX_GEO_2D },
  { "3d", PTX_P_GEOMETRY, PTX_GEO_3D },
  { "a1d", PTX_P_GEOMETRY, PTX_GEO_A1D },
  { "a2d", PTX_P_GEOMETRY, PTX_GEO_A2D },
  { "cube", PTX_P_GEOMETRY, PTX_GEO_CUBE },
  { "acube", PTX_P_GEOMETRY, PTX_GEO_ACUBE },
  { "trap", PTX_P_BOUNDARY, PTX_M_TRAP },
  { "clamp", PTX_P_BOUNDARY, PTX_M_CLAMP },
  { "zero", PTX_P_BOUNDARY, PTX_M_ZERO },
  /* of tensors, whose operands say it again */
  { "1d", PTX_P_UNITS, 0 },
  { "2d", PTX_P_UNITS, 0 },
  { "3d", PTX_P_UNITS, 0 },
  { "4d", PTX_P_UNITS, 0 },
  { "5d", PTX_P_UNITS, 0 },
  { "tile", PTX_P_BOUNDARY, 0 },
  { "b", PTX_P_UNITS, PTX_M_BYTES },
  { "p", PTX_P_UNITS, PTX_M_TEXELS },
  { "shr7", PTX_P_SCALE, 7 },
  { "shr15", PTX_P_SCALE, 15 },
#define X(n) { #n, PTX_P_QUERY, PTX_QUERY_##n },
  PTX_QUERIES(X)
#undef X
    { "get_first_ctaid::x", PTX_P_QUERY, PTX_QUERY_first_x },
  { "get_first_ctaid::y", PTX_P_QUERY, PTX_QUERY_first_y },
  { "get_first_ctaid::z", PTX_P_QUERY, PTX_QUERY_first_z },
  { "multicast::cluster::all", PTX_P_QUERY, PTX_QUERY_all_blocks },
  { "im2col", PTX_P_QUERY, PTX_QUERY_im2col },
  { "im2col_no_offs", PTX_P_QUERY, PTX_QUERY_im2col_no_offs },
  { "tile::gather4", PTX_P_QUERY, PTX_QUERY_gather4 },
  { "tile::scatter4", PTX_P_QUERY, PTX_QUERY_scatter4 },
  { "cp_mask", PTX_P_QUERY, PTX_QUERY_cp_mask },
  { "kind::f8f6f4", PTX_P_QUERY, PTX_QUERY_f8f6f4 },
  { "kind::mxf8f6f4", PTX_P_QUERY, PTX_QUERY_mxf8f6f4 },
  { "kind::mxf4", PTX_P_QUERY, PTX_QUERY_mxf4 },
  { "kind::mxf4nvf4", PTX_P_QUERY, PTX_QUERY_mxf4nvf4 },
  { "row", PTX_P_TENSOR, PTX_IS_LAYOUT | PTX_LAYOUT_row },
  { "col", PTX_P_TENSOR, PTX_IS_LAYOUT | PTX_LAYOUT_col },
  { "trans", PTX_P_TENSOR, PTX_IS_LAYOUT | PTX_LAYOUT_trans },
  { "scale_vec::1X", PTX_P_TENSOR, PTX_IS_SCALES | 1 },
  { "scale_vec::2X", PTX_P_TENSOR, PTX_IS_SCALES | 2 },
  { "scale_vec::4X", PTX_P_TENSOR, PTX_IS_SCALES | 4 },
#define X(n) { #n, PTX_P_TENSOR, PTX_SHAPE_##n },
  PTX_SHAPES_OF_TENSORS(X)
#undef X
};

/* A shape of wgmma: m64n8k16 to m64n256k256. */
static bool group_find (const char *word, uint32_t *value) {
  unsigned n, k;
  int end = 0;
  if (sscanf(word, "m64n%3uk%3u%n", &n, &k, &end) != 2 || word[end] != '\0') return false;
  if (n == 0 || n % 8 != 0 || n > 256 || k == 0 || k % 8 != 0 || k > 256) return false;
  *value = PTX_IS_GROUP | n / 8 << 8 | k / 8 << 16;
  return true;
}

/* Sets *kind and *value to the first meaning of `word` that `accepted` allows. */
static bool part_find (const char *word, uint32_t accepted, uint32_t *kind, uint32_t *value) {
  for (size_t i = 0; i < lcu_arraylen(part_words); i++)
    if ((part_words[i].kind & accepted) && strcmp(part_words[i].word, word) == 0) {
      *kind = part_words[i].kind;
      *value = part_words[i].value;
      return true;
    }
  if (accepted & PTX_P_CMP)
    for (uint32_t i = 1; i < PTX_CMP_COUNT; i++)
      if (strcmp(compare_names[i], word) == 0) {
        *kind = PTX_P_CMP;
        *value = i;
        return true;
      }
  if (accepted & PTX_P_MODE)
    for (uint32_t i = 1; i < PTX_MODE_COUNT; i++)
      if (strcmp(ptx_mode_names[i], word) == 0) {
        *kind = PTX_P_MODE;
        *value = i;
        return true;
      }
  if ((accepted & PTX_P_TENSOR) && group_find(word, value)) {
    *kind = PTX_P_TENSOR;
    return true;
  }
  if ((accepted & PTX_P_ORDER) &&
      (strncmp(word, "L1::", 4) == 0 || strncmp(word, "L2::", 4) == 0)) {
    *kind = PTX_P_ORDER;
    *value = strcmp(word, "L2::cache_hint") == 0 ? PTX_M_CACHE_HINT : 0;
    return true;
  }
  return false;
}

/* Layouts follow each other; two shapes are none. */
static void tensor_apply (ptx_match *m, uint32_t value) {
  if (value & PTX_IS_LAYOUT) {
    m->layouts = (uint8_t)((unsigned)m->layouts << 2 | (value & 3));
    return;
  }
  if (value & PTX_IS_SCALES) {
    m->scale = (uint8_t)(value & 7);
    return;
  }
  bool group = (value & PTX_IS_GROUP) != 0;
  m->geometry = (uint8_t)(m->geometry != 0 ? PTX_SHAPE_two : group ? PTX_SHAPE_group : value);
  m->group_n = (uint8_t)(value >> 8);
  m->group_k = (uint8_t)(value >> 16);
}

static void part_apply (ptx_match *m, uint32_t kind, uint32_t value) {
  switch (kind) {
    case PTX_P_ROUND:
    case PTX_P_INTEGRAL: m->round = (uint8_t)value; break;
    case PTX_P_PART: m->mul_part = (uint8_t)value; break;
    case PTX_P_CMP: m->compare = (uint8_t)value; break;
    case PTX_P_BOOL: m->bool_op = (uint8_t)value; break;
    case PTX_P_SPACE: m->space = (uint8_t)value; break;
    case PTX_P_VEC: m->vector = (uint8_t)value; break;
    case PTX_P_MODE: m->mode = (uint8_t)value; break;
    case PTX_P_GEOMETRY: m->geometry = (uint8_t)value; break;
    case PTX_P_TENSOR: tensor_apply(m, value); break;
    case PTX_P_QUERY: m->query = (uint8_t)value; break;
    case PTX_P_SCALE: m->scale = (uint8_t)value; break;
    default: m->mods |= value; break;
  }
}

static bool parts_read (const ptx_inst *inst, uint32_t from, const ptx_op *op, ptx_match *m) {
  uint32_t single = PTX_P_ROUND | PTX_P_INTEGRAL | PTX_P_PART | PTX_P_CMP | PTX_P_BOOL |
                    PTX_P_SPACE | PTX_P_VEC | PTX_P_MODE | PTX_P_GEOMETRY | PTX_P_BOUNDARY |
                    PTX_P_QUERY | PTX_P_UNITS | PTX_P_SCALE;
  uint32_t left = op->parts;
  for (uint32_t i = from; i < inst->num_parts; i++) {
    ptx_type t = ptx_type_find(inst->parts[i]);
    uint32_t kind, value;
    if (t != PTX_NOTYPE) {
      if (m->num_types == lcu_arraylen(m->types)) return false;
      m->types[m->num_types++] = t;
    } else if (part_find(inst->parts[i], left, &kind, &value)) {
      part_apply(m, kind, value);
      left &= ~(kind & single);
    } else {
      return false;
    }
  }
  m->type = m->types[0];
  m->type2 = m->types[1];
  return true;
}

/* ---- the handler's name ---- */

static ptx_type type_reduce (ptx_type t, uint8_t fallback) {
  static const ptx_type bits[] = {
    [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64, [16] = PTX_B128
  };
  bool integer = t >= PTX_U8 && t <= PTX_S64;
  if (fallback == PTX_BITS && t != PTX_PRED) return bits[ptx_type_bytes(t)];
  if (fallback == PTX_INT && integer) return bits[ptx_type_bytes(t)];
  if (fallback == PTX_UNSIGNED && t >= PTX_B8 && t <= PTX_B64)
    return (ptx_type)(t - PTX_B8 + PTX_U8);
  return t;
}

/* opcode_part_mode_approx_shiftamt_clamp_cc_types_ftz_sat_nan_relu_xorsign, without the parts that
 * are absent */
static void handler_name (const ptx_match *m, const char *opcode, ptx_type first, char *out,
                          size_t size) {
  static const char *const parts[] = { "", "_lo", "_hi", "_wide" };
  uint32_t mods = m->mods;
  int n = snprintf(out, size, "%s%s%s%s%s%s%s%s%s", opcode, parts[m->mul_part], m->mode ? "_" : "",
                   ptx_mode_names[m->mode], mods & PTX_M_APPROX ? "_approx" : "",
                   mods & PTX_M_SHIFTAMT ? "_shiftamt" : "", mods & PTX_M_CLAMP ? "_clamp" : "",
                   mods & PTX_M_WRAP ? "_wrap" : "", mods & PTX_M_CC ? "_cc" : "");
  for (uint32_t i = 0; i < m->num_types && n > 0 && (size_t)n < size; i++)
    n += snprintf(out + n, size - (size_t)n, "_%s", ptx_type_name(i == 0 ? first : m->types[i]));
  if (n > 0 && (size_t)n < size)
    snprintf(out + n, size - (size_t)n, "%s%s%s%s%s", mods & PTX_M_FTZ ? "_ftz" : "",
             mods & PTX_M_SAT ? "_sat" : "", mods & PTX_M_NAN ? "_nan" : "",
             mods & PTX_M_RELU ? "_relu" : "", mods & PTX_M_XORSIGN ? "_xorsign" : "");
}

/* mad of floats is the old name of fma. */
static const char *alu_opcode (const ptx_match *m) {
  bool is_mad = strcmp(m->op->opcode, "mad") == 0;
  return is_mad && ptx_type_is_float(m->type) ? "fma" : m->op->opcode;
}

static bool directed (const ptx_match *m) {
  return (m->round == PTX_ROUND_RZ || m->round == PTX_ROUND_RM || m->round == PTX_ROUND_RP);
}

/* With directed rounding there is one handler per operation and type; I->imm holds the rounding. */
static uint16_t alu_id (const ptx_match *m) {
  char name[96], opcode[24];
  if (m->round != PTX_ROUND_NONE && !ptx_type_is_float(m->type)) return 0;
  if (m->op->fallback == PTX_INT && m->type >= PTX_B8 && m->type <= PTX_B128) return 0;
  snprintf(opcode, sizeof opcode, "%s%s", directed(m) ? "round_" : "", alu_opcode(m));
  ptx_match plain = *m;
  if (directed(m)) plain.mods &= ~(uint32_t)(PTX_M_FTZ | PTX_M_SAT);
  if (ptx_match_is_mixed(m)) plain.num_types = 1;
  handler_name(&plain, opcode, m->type == PTX_F32X2 ? PTX_F32 : m->type, name, sizeof name);
  uint16_t id = ptx_id_find(name);
  if (id || m->num_types == 0) return id;
  handler_name(&plain, opcode, type_reduce(m->type, m->op->fallback), name, sizeof name);
  return ptx_id_find(name);
}

/* ---- matching ---- */

void ptx_inst_name (const ptx_inst *inst, char *out, size_t size) {
  int n = snprintf(out, size, "%s", inst->num_parts ? inst->parts[0] : "");
  for (uint32_t i = 1; i < inst->num_parts && n > 0 && (size_t)n < size; i++)
    n += snprintf(out + n, size - (size_t)n, ".%s", inst->parts[i]);
}

/* Instructions that have no row, and what to use instead. */
typedef struct refusal {
  const char *opcode, *way;
} refusal;

static const refusal refusals[] = {
#define PTX_REFUSED(opcode_, section_, way_) { #opcode_, way_ },
#include "ptx_refused.def"
#undef PTX_REFUSED
};

static const char *way_out (const char *name) {
  for (size_t i = 0; i < lcu_arraylen(refusals); i++) {
    size_t n = strlen(refusals[i].opcode);
    if (strncmp(name, refusals[i].opcode, n) == 0 && (name[n] == '.' || name[n] == '\0'))
      return refusals[i].way;
  }
  return NULL;
}

static lcu_status not_supported (ptx_inst *inst) {
  char name[160];
  ptx_inst_name(inst, name, sizeof name);
  memset(&inst->match, 0, sizeof inst->match);
  const char *way = way_out(name);
  return lcu_fail(way != NULL ? LCU_E_UNSUPPORTED : LCU_E_SYNTAX, "PTX `%s` is not supported%s%s",
                  name, way != NULL ? ": " : "", way != NULL ? way : "");
}

/* A loop around a volatile load may wait for other threads. */
static uint16_t flags_of (const ptx_match *m) {
  uint16_t flags = m->op->flags;
  if ((m->op->decode == PTX_DEC_ld) && (m->mods & PTX_M_VOLATILE)) flags |= PTX_F_SPIN;
  return flags;
}

lcu_status ptx_match_inst (ptx_inst *inst) {
  ptx_match *m = &inst->match;
  memset(m, 0, sizeof *m);
  uint32_t used = 0;
  const ptx_op *op = inst->num_parts ? op_of(inst, &used) : NULL;
  if (op == NULL || !parts_read(inst, used, op, m)) return not_supported(inst);
  m->op = op;
  if (m->vector == 0) m->vector = 1;
  m->flags = flags_of(m);
  if (!ptx_operands_fit(inst)) {
    char name[160];
    ptx_inst_name(inst, name, sizeof name);
    memset(m, 0, sizeof *m);
    return lcu_fail(LCU_E_SYNTAX, "PTX `%s` does not take %d operands", name, inst->num_operands);
  }
  if (op->decode == PTX_DEC_alu && !(m->id = alu_id(m))) return not_supported(inst);
  return LCU_OK;
}
