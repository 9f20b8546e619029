/* ptx_ast.h: PTX text as a tree. Made by ptx_parse.c, which knows the grammar but no instruction;
 * what an instruction means stands in ptx_ops.def. All nodes live in the module's arena; names are
 * interned, so equal names are equal pointers. */
#ifndef PTX_AST_H
#define PTX_AST_H

#include "lcu_mem.h"
#include "ptx_op.h"

typedef enum ptx_space { PTX_GENERIC, PTX_REG, PTX_PARAM, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST } ptx_space;

/* A variable outside registers: .global .const .shared .local .param. */
typedef struct ptx_variable {
  struct ptx_variable *next;
  const char *name;
  ptx_space space;
  ptx_type type;
  uint32_t align;                   /* bytes */
  uint64_t size;                    /* bytes; 0 for `extern .shared x[]` */
  uint64_t offset;                  /* in its window: param block, shared window, local frame, function parameter area */
  bool is_extern, is_weak, managed, is_return;
  struct ptx_init *init;            /* NULL: zeros */
  uint64_t address;                 /* global, const: where it was placed; 0 until then */
  struct ptx_function *function;    /* the function that declares it, NULL at module level */
} ptx_variable;

/* One element of an initialiser. */
typedef struct ptx_init {
  struct ptx_init *next;
  enum { PTX_INIT_BITS, PTX_INIT_VARIABLE, PTX_INIT_FUNCTION } kind;
  uint64_t offset;                  /* bytes into the variable */
  uint32_t size;                    /* bytes written */
  uint64_t bits;                    /* value, or addend of an address */
  uint8_t shift;                    /* mask form 0xFF00(symbol): address >> shift, `size` bytes of it */
  bool generic;                     /* generic(symbol): a generic address, else one in the symbol's window */
  const char *symbol;               /* resolved when placed */
} ptx_init;

/* A virtual register. Ids are dense per function and include those of nested scopes. */
typedef struct ptx_reg { const char *name; ptx_type type; uint32_t id; int32_t slot; } ptx_reg;  /* slot: byte offset in the frame's register file, -1 before allocation */

typedef enum ptx_operand_kind {
  PTX_O_NONE, PTX_O_REG, PTX_O_INT, PTX_O_FLOAT, PTX_O_VARIABLE, PTX_O_SREG, PTX_O_LABEL, PTX_O_FUNCTION,
  PTX_O_VECTOR, PTX_O_ADDRESS, PTX_O_SINK, PTX_O_LIST, PTX_O_PROTO
} ptx_operand_kind;

typedef struct ptx_operand {
  ptx_operand_kind kind;
  bool negate;                      /* !p, or -x before a register where PTX allows it */
  ptx_reg *reg;                     /* REG; ADDRESS with a register base */
  int64_t i;                        /* INT value; ADDRESS byte offset; VARIABLE addend (sym+8); LABEL block index after the CFG */
  double f;                         /* FLOAT (0f and 0d literals both; single ones exactly widened) */
  bool single;                      /* FLOAT written as 0f... */
  ptx_variable *variable;           /* VARIABLE; ADDRESS with a variable base */
  struct ptx_function *function;    /* FUNCTION */
  const char *name;                 /* LABEL, PROTO; the text for messages */
  int sreg;                         /* SREG: index into ptx_sregs.def */
  struct ptx_operand *items;        /* VECTOR, LIST (call arguments); for tex-like [handle, {coords}] ADDRESS has items = the vector */
  uint32_t num_items;
} ptx_operand;

#define PTX_MAX_OPERANDS 8
#define PTX_MAX_PARTS 12

typedef struct ptx_inst {
  struct ptx_inst *next;
  const char *parts[PTX_MAX_PARTS]; /* "ld" "global" "nc" "v4" "f32": opcode, then what followed each dot ("cta::..." kept whole) */
  uint8_t num_parts, num_operands;
  bool guarded, guard_negate;
  ptx_reg *guard;
  ptx_operand operands[PTX_MAX_OPERANDS];   /* d|p counts as two operands, the second following the first; a missing |p is simply absent */
  bool pair;                        /* operands[0], [1] were written d|p */
  uint32_t text_line;               /* line in the PTX text */
  uint32_t loc;                     /* index into the module's locations, 0 = none */
  uint32_t used_bytes;              /* .pragma "used_bytes_mask" before a load: bit per byte, 0 = all */
  ptx_match match;                  /* filled by ptx_op_match */
} ptx_inst;

/* Basic block after the CFG was built; blocks are stored in a loop-contiguous reverse post-order, so
 * that "smallest index first" reconverges at post-dominators (docs/design/cpu-device.md). */
typedef struct ptx_block {
  ptx_inst *first, *last;           /* last is the terminator or the last ordinary instruction; NULL, NULL = empty */
  int32_t next;                     /* fall-through block index, -1 none */
  int32_t target;                   /* branch target block index, -1 none */
  bool spin;                        /* belongs to a natural loop that may wait for other threads (CPU_DEVICE section 5) */
  bool loop_head;
} ptx_block;

typedef struct ptx_function {
  struct ptx_function *next;
  const char *name;
  bool is_entry, is_extern, is_weak, noreturn;
  struct ptx_module *module;
  ptx_variable *params, *returns;   /* formal ones in order (next links) */
  ptx_variable *locals;             /* .local .shared .param .const .global declared inside */
  ptx_reg **regs; uint32_t num_regs;
  ptx_inst *body; uint32_t num_insts;
  struct ptx_label *labels;
  uint32_t max_block[3], req_block[3];     /* .maxntid .reqntid, zeros when absent */
  uint32_t param_bytes, local_bytes, shared_bytes;
  /* Filled by ptx_cfg_build and ptx_regs_allocate: */
  ptx_block *blocks; uint32_t num_blocks;
  uint32_t regs_bytes;              /* register file of one frame (one warp), constants not included */
  uint32_t max_live;                /* peak of 32-bit registers per thread */
  /* Filled by ptx_decode: */
  struct ptx_code *code;
  char *unsupported;                /* why the function cannot run, or NULL */
} ptx_function;

/* .callprototype: what an indirect call passes. */
typedef struct ptx_proto { struct ptx_proto *next; const char *name; ptx_variable *params, *returns; } ptx_proto;

/* A source position, the inline chain resolved to the outermost user line first asked for. */
typedef struct ptx_loc {
  uint32_t file, line;              /* file: index into files, 0 = none */
  uint32_t inlined_at;              /* index of the location it was inlined at, 0 = none */
  const char *function;             /* name of the inlined function, or NULL */
} ptx_loc;

struct ptx_module_ast {
  lcu_arena arena;
  int target, version;              /* 80, 90 (major*10+minor) */
  ptx_variable *variables;
  ptx_function *functions;
  ptx_proto *protos;
  ptx_loc *locs; uint32_t num_locs;
  const char **files; uint32_t num_files;
};

/* Text -> tree. On failure the message says "line N: ...", near text included. */
lcu_status ptx_parse (const char *text, size_t len, struct ptx_module_ast *out);

/* Splits the body into blocks (a guarded instruction whose op has PTX_F_CONTROL other than bra is put behind a
 * branch first, so only bra, and ordinary instructions, stay guarded), numbers them, finds loops and spin loops.
 * Needs every instruction matched. Unreachable blocks are dropped. */
lcu_status ptx_cfg_build (ptx_function *f, lcu_arena *arena);

/* Liveness and linear scan: fills reg->slot and f->regs_bytes. Slots are 64-byte aligned, ptx_type_slot_bytes(type) long.
 * Two rules the operations rely on:
 * - a byte of the file is only ever used by registers of one slot width (keep a pool per width): lane l of a 64-bit
 *   slot covers lanes 2l and 2l+1 of a 32-bit one, and lanes of other branches may still need those;
 * - a written register never takes the slot of a register that the same instruction reads (decoding may
 *   split an instruction into several). A guarded write keeps the old value, so it reads its register too. */
lcu_status ptx_regs_allocate (ptx_function *f, lcu_arena *arena);

#endif
