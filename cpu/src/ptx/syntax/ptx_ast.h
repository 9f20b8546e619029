/* ptx_ast.h: PTX text as a tree. The parser knows the grammar but no instructions: their meaning is
 * in ptx_ops.def. All nodes are in the module's arena. Names are interned: equal names are equal
 * pointers. */
#ifndef PTX_AST_H
#define PTX_AST_H

#include "lcu_mem.h"
#include "ptx_op.h"

typedef enum ptx_space {
  PTX_GENERIC,
  PTX_REG,
  PTX_PARAM,
  PTX_GLOBAL,
  PTX_SHARED,
  PTX_LOCAL,
  PTX_CONST,
  PTX_CLUSTER /* shared memory of any block of the cluster; not of variables */
} ptx_space;

/* A variable outside registers: .global .const .shared .local .param. */
typedef struct ptx_variable {
  struct ptx_variable *next;
  const char *name;
  ptx_space space;
  ptx_type type;
  uint32_t align; /* bytes */
  uint64_t size;  /* bytes; 0 for `extern .shared x[]` */
  /* in the parameter block, shared memory, local frame or function parameter area */
  uint64_t offset;
  /* is_visible: other modules of the text may name it; so may they if it is extern or weak */
  bool is_extern, is_weak, is_visible, managed, is_return;
  /* A .param in the head of a function. Those of an entry are in the kernel parameter block; those
   * of a .func, and the arguments of calls, in the function parameter area. */
  bool is_formal;
  bool compared;                 /* of a .func, and arguments of calls: as that of a register */
  bool is_open;                  /* the last of a .func, without a size: arguments of any number */
  struct ptx_init *init;         /* NULL: zeros */
  uint64_t address;              /* global, const: storage; 0 until it is placed */
  struct ptx_function *function; /* the function that declares it, NULL at module level */
  uint32_t stamp;                /* private to ptx_refs.c and ptx_shared.c */
} ptx_variable;

/* The size of a parameter that is open: the most that a call can pass. */
#define PTX_OPEN_BYTES 512u

/* Initializer: first the image of all plain values, then one entry per address. */
typedef struct ptx_init {
  struct ptx_init *next;
  enum { PTX_INIT_BITS, PTX_INIT_VARIABLE, PTX_INIT_FUNCTION } kind;
  uint64_t offset; /* bytes into the variable */
  uint32_t size;   /* bytes written */
  uint64_t bits;   /* addend of an address */
  /* BITS: the whole image of `size` bytes; addresses overwrite parts of it */
  const uint8_t *data;
  /* mask form 0xFF00(symbol): address >> shift, `size` bytes of it */
  uint8_t shift;
  /* generic(symbol): a generic address, not one in the state space of the symbol */
  bool generic;
  const char *symbol;            /* name of the target */
  struct ptx_variable *variable; /* VARIABLE */
  struct ptx_function *function; /* FUNCTION */
} ptx_init;

/* A virtual register. Ids are dense per function and include those of nested scopes. */
typedef struct ptx_reg {
  const char *name;
  ptx_type type;
  uint32_t id;
  int32_t slot;  /* byte offset in the register file, -1 before allocation */
  bool compared; /* atom.cas compares memory with it */
  bool fragment; /* of a matrix (9.7.14, 9.7.15) */
} ptx_reg;

typedef enum ptx_operand_kind {
  PTX_O_NONE,
  PTX_O_REG,
  PTX_O_INT,
  PTX_O_FLOAT,
  PTX_O_VARIABLE,
  PTX_O_SREG,
  PTX_O_LABEL,
  PTX_O_FUNCTION,
  PTX_O_VECTOR,
  PTX_O_ADDRESS,
  PTX_O_SINK,
  PTX_O_LIST,
  PTX_O_PROTO
} ptx_operand_kind;

typedef struct ptx_operand {
  ptx_operand_kind kind;
  bool negate; /* !p, or -x before a register where PTX allows it */
  bool single; /* FLOAT written as 0f... */
  int sreg;    /* SREG: index into ptx_sregs.def */
  uint32_t num_items;
  ptx_reg *reg; /* REG; ADDRESS with a register base */
  /* INT: the value. FLOAT: its bits, 32 of them when single. ADDRESS: byte offset. VARIABLE: addend
   * (sym+8). LABEL: basic block index, once the flow graph is built. */
  int64_t i;
  /* FLOAT, of 0f and 0d literals; single ones are widened, which is exact */
  double f;
  ptx_variable *variable;        /* VARIABLE; ADDRESS with a variable base */
  struct ptx_function *function; /* FUNCTION */
  /* the name, for messages; REG: part selector of video instructions ("b0", "h1") or NULL */
  const char *name;
  struct ptx_label *label; /* LABEL */
  struct ptx_proto *proto; /* PROTO */
  /* VECTOR; LIST (call arguments, branch targets of brx); ADDRESS [handle, {x, y}]: coordinates */
  struct ptx_operand *items;
} ptx_operand;

/* Operands of special forms:
 *   call   LIST of returns (may be empty), target (FUNCTION or REG), LIST of arguments (may be
 *          empty) and, for an indirect call, PROTO. Arguments are VARIABLE (a .param), rarely REG
 *          or INT.
 *   brx    REG, LIST of LABEL
 * A name that is not declared at that place must be a label when its scope ends. */
#define PTX_MAX_OPERANDS 10
#define PTX_MAX_PARTS 16

typedef struct ptx_inst {
  struct ptx_inst *next;
  /* "ld" "global" "nc" "v4" "f32": the opcode, then the text after each dot ("cta::x" is one
   * part) */
  const char *parts[PTX_MAX_PARTS];
  /* beyond the limits the last part holds the rest, and operands are dropped */
  uint8_t num_parts, num_operands;
  bool guarded, guard_negate;
  ptx_reg *guard;
  /* d|p counts as two operands */
  ptx_operand *operands;
  bool pair;          /* operands[0], [1] were written d|p */
  uint32_t text_line; /* line in the PTX text */
  uint32_t loc;       /* index into the module's locations, 0 = none */
  /* .pragma "used_bytes_mask" before a load: bit per byte, 0 = all */
  uint32_t used_bytes;
  ptx_match match; /* set by ptx_match_inst */
  bool leader;     /* first of its basic block */
  int32_t bb;      /* index of its basic block; -1: not reachable */
} ptx_inst;

/* A place in a function's body. */
typedef struct ptx_label {
  struct ptx_label *next; /* of the same function */
  const char *name;
  ptx_inst *at; /* the instruction after it, NULL at the end of the body */
  bool used;    /* a branch names it */
  int32_t bb;   /* index of its basic block; -1: not reachable */
} ptx_label;

/* A basic block, made by ptx_cfg_build. They are stored in a loop-contiguous reverse post-order, so
 * that running the smallest index first makes lanes meet again at post-dominators
 * (cpu/docs/machine.md). */
typedef struct ptx_basic_block {
  /* `last` is the terminator or the last ordinary instruction; both are NULL when it is empty */
  ptx_inst *first, *last;
  int32_t next;   /* index of the block that follows; -1: none */
  int32_t target; /* index of the branch target; -1: none */
  /* the innermost loop around it (its own, for a loop head) may wait for other threads */
  bool spin;
  bool loop_head;
  /* index of the head of the innermost loop around it (its own, for a loop head); -1: none */
  int32_t loop;
  int32_t outer_loop; /* of a head: the head of the loop around its own; -1: none */
} ptx_basic_block;

typedef struct ptx_function {
  struct ptx_function *next;
  const char *name;
  /* no body: a declaration (of a runtime function when is_extern) */
  bool is_entry, is_extern, is_weak, is_visible, noreturn;
  bool has_body, address_taken;
  /* it, or a function it calls, has PTX_F_SPIN instructions; known before the flow graph is
   * built */
  bool may_spin;
  struct ptx_module *module;
  ptx_variable *params, *returns; /* formal ones in order (next links) */
  ptx_variable *locals;           /* .local .shared .param .const .global declared inside */
  ptx_reg **regs;
  uint32_t num_regs;
  ptx_inst *body;
  uint32_t num_insts;
  struct ptx_label *labels;
  uint32_t maxntid[3], reqntid[3], reqcluster[3]; /* zeros when absent */
  bool explicit_cluster, max_cluster, blocks_are_clusters;
  uint32_t param_bytes; /* entry: kernel parameter block */
  /* function parameter area of a frame: formal parameters of a .func and arguments of its calls,
   * per lane */
  uint32_t area_bytes;
  uint32_t local_bytes; /* own frame */
  /* entry: static shared memory of all functions it reaches; dynamic shared memory starts there */
  uint32_t shared_bytes;
  uint32_t text_line;
  struct ptx_refs *refs; /* what its code names (ptx_refs.h) */
  uint32_t stamp;        /* private to ptx_refs.c */
  uint8_t stage;         /* ptx_stage (ptx_module.h) */
  /* set by ptx_cfg_build and ptx_regs_allocate */
  ptx_basic_block *bbs;
  uint32_t num_bbs;
  /* register file of one frame, without constants */
  uint32_t regs_bytes;
  uint32_t max_live; /* 32-bit registers per thread, at their peak */
  /* made by ptx_function_claims, by ptx_block_class */
  struct ptx_claims *_Atomic claims[4];
  /* set by ptx_decode */
  struct ptx_code *code;
  char *unsupported;       /* why the function cannot run, or NULL */
  const ptx_inst *refused; /* the instruction that decoding refused, or NULL */
} ptx_function;

/* .callprototype: what an indirect call passes. */
typedef struct ptx_proto {
  struct ptx_proto *next;
  const char *name;
  ptx_variable *params, *returns;
  ptx_function **targets;
  uint32_t num_targets; /* of .calltargets; 0: .callprototype */
} ptx_proto;

/* A source position. */
typedef struct ptx_loc {
  uint32_t file, line, column; /* file: index into files */
  uint32_t inlined_at;         /* index of the location it was inlined at; 0: none */
  const char *function;        /* name of the inlined function, or NULL */
} ptx_loc;

/* The tables cover PTX up to this version. In a text of a later version, what they lack is not an
 * error. */
#define PTX_KNOWN_VERSION 90

struct ptx_module_ast {
  lcu_arena arena;
  int target, version; /* 80, 90 (major*10+minor); the highest of the modules */
  char variant;        /* of the target: 'a' (sm_90a), 'f' (sm_100f) or 0 */
  bool debug; /* .target ..., debug: a register keeps its value until it is written again */
  ptx_variable *variables;
  ptx_function *functions;
  ptx_proto *protos;
  ptx_loc *locs;
  uint32_t num_locs;
  const char **files;
  uint32_t num_files;
};

/* Text -> tree. A text may hold several modules, each from its .version on: they are linked into
 * one tree. On failure the message starts with "line N: " and quotes the text there. */
lcu_status ptx_parse (const char *text, size_t len, struct ptx_module_ast *out);

/* The position to show to users: going outwards along inlined_at, the first one in a text of a
 * script ("/luacuda/78e2d82d4f42e16a.cu"), else in the file of the outermost one. So code of a
 * header shows the line that called it. Positions in generated text ("luacuda") count only if all
 * are there. False when the position is unknown. */
bool ptx_loc_user (const struct ptx_module_ast *ast, uint32_t loc, const char **file,
                   uint32_t *line);
/* The position from which the function of that position was called, if it was inlined; 0: it was
 * not. */
uint32_t ptx_loc_caller (const struct ptx_module_ast *ast, uint32_t loc);
/* The inlined function of that position, or NULL if it was not inlined; *depth: how many inlined
 * calls lead there. */
const char *ptx_loc_inlined (const struct ptx_module_ast *ast, uint32_t loc, uint32_t *depth);
/* The file of the position itself, which may be a header; NULL when unknown. */
const char *ptx_loc_file (const struct ptx_module_ast *ast, uint32_t loc);
/* Whether the file stands for text that the library generated around the user's. */
bool ptx_file_generated (const char *file);

/* The tree as text, for tests and debugging: it parses to the same tree. */
void ptx_dump_module (const struct ptx_module_ast *ast, lcu_buf *out);
void ptx_dump_function (const ptx_function *f, lcu_buf *out);
void ptx_dump_inst (const ptx_inst *inst, lcu_buf *out);

#endif
