/* ptx_parse.h: the parser's state and the functions that its files share.
 *
 * Errors are sticky: the first one is kept, and the current token is PTX_T_END from then on, so
 * that every loop ends and nothing needs to be unwound. Functions that make nodes may return NULL;
 * then p->status is set. */
#ifndef PTX_PARSE_H
#define PTX_PARSE_H

#include "ptx_ast.h"
#include "ptx_lex.h"
#include "ptx_sreg.h"

typedef struct ptx_name ptx_name;
typedef struct ptx_formal ptx_formal;

/* The meaning of a name in a scope. The innermost binding of a name is name->top. */
typedef enum ptx_binding_kind {
  PTX_BIND_REG,    /* ptx_reg * */
  PTX_BIND_RANGE,  /* ptx_reg_range *, bound to the prefix */
  PTX_BIND_VECTOR, /* ptx_reg_vector * */
  PTX_BIND_VARIABLE,
  PTX_BIND_FUNCTION,
  PTX_BIND_LABEL,
  PTX_BIND_PROTO,   /* ptx_proto * */
  PTX_BIND_BRANCHES /* ptx_operand *, a LIST */
} ptx_binding_kind;

typedef struct ptx_binding {
  ptx_binding_kind kind;
  uint32_t depth;
  bool imported; /* from an earlier module of a linked text */
  void *p;
  ptx_name *name;
  struct ptx_binding *shadowed, *next; /* next: of the same scope */
} ptx_binding;

struct ptx_name {
  ptx_name *next; /* hash chain */
  ptx_binding *top;
  uint32_t hash, len;
  char text[];
};

typedef struct ptx_names {
  ptx_name **slots;
  uint32_t num_slots, count;
} ptx_names;

/* .reg .b32 %r<100>: registers are made when they are first named. */
typedef struct ptx_reg_range {
  ptx_type type;
  uint32_t vector; /* elements of each register */
  uint64_t count;
} ptx_reg_range;
typedef struct ptx_reg_vector {
  ptx_reg *regs[4];
  uint32_t num;
} ptx_reg_vector;

/* A name that counts as a label until its scope ends. */
typedef struct ptx_label_ref {
  struct ptx_label_ref *next;
  ptx_operand *operand;
  ptx_name *name;
  uint32_t line;
} ptx_label_ref;

#define PTX_MAX_DEPTH 200
typedef struct ptx_scope {
  ptx_binding *bindings;
  ptx_label_ref *refs;
  bool has_range;
  uint32_t area;
} ptx_scope;

typedef struct ptx_parser {
  ptx_lexer lex;
  ptx_token tok;
  lcu_status status;
  struct ptx_module_ast *ast;
  int version, target;    /* of the module being read; 0: not said yet */
  uint32_t texture_modes; /* of its .target: bits */
  ptx_names names;
  ptx_scope scopes[PTX_MAX_DEPTH];
  uint32_t depth;       /* index of the innermost scope; 0 is the module */
  uint32_t range_depth; /* deepest scope with a register range */
  ptx_variable **last_variable;
  ptx_function **last_function;
  ptx_proto **last_proto;
  /* the function being read */
  ptx_function *f;
  ptx_inst **last_inst;
  ptx_variable **last_local;
  /* labels without an instruction yet start at *unplaced */
  ptx_label **last_label, **unplaced;
  lcu_buf regs;        /* ptx_reg * */
  uint32_t used_bytes; /* of the pragma just read */
  /* the current position; locations from loc_floor on are in this function */
  uint32_t loc, loc_floor;
  struct ptx_debug *debug;
  uint32_t nesting;    /* of braces and parentheses in lists and expressions */
  ptx_formal *formals; /* in registers, of the function being read (ptx_parse_formal.c) */
} ptx_parser;

/* ptx_parse.c */
void ptx_parse_fail (ptx_parser *p, uint32_t line, const char *fmt, ...) LCU_PRINTF(3, 4);
void ptx_parse_fail_near (ptx_parser *p, const char *fmt, ...) LCU_PRINTF(2, 3);
void *ptx_parse_alloc (ptx_parser *p, size_t size);
void ptx_next (ptx_parser *p);
bool ptx_at (const ptx_parser *p, int punct);
bool ptx_at_dot (const ptx_parser *p, const char *name);
bool ptx_accept (ptx_parser *p, int punct);
bool ptx_accept_dot (ptx_parser *p, const char *name);
bool ptx_expect (ptx_parser *p, int punct);
ptx_name *ptx_expect_name (ptx_parser *p, const char *what);
uint64_t ptx_expect_uint (ptx_parser *p, const char *what);
void ptx_skip_braces (ptx_parser *p);
void ptx_skip_statement (ptx_parser *p);

/* ptx_scope.c: names, bindings, scopes */
ptx_name *ptx_name_intern (ptx_parser *p, const char *text, size_t len);
void ptx_names_free (ptx_names *names);
void ptx_bind (ptx_parser *p, ptx_name *name, ptx_binding_kind kind, void *what);
ptx_binding *ptx_lookup (ptx_parser *p, ptx_name *name);
/* Ends a module of the text: forgets the names that other modules may not use. */
void ptx_forget_internal (ptx_parser *p);
bool ptx_bound_here (const ptx_parser *p, const ptx_name *name);
/* Does a declaration hide what an earlier module of a linked text gives to others? It does if it is
 * not external itself. */
bool ptx_hides_imported (const ptx_name *name, bool external);
ptx_reg *ptx_reg_new (ptx_parser *p, const char *name, ptx_type type);
/* A vector of 2 or 4 registers; NULL after an error. */
ptx_reg_vector *ptx_reg_vector_new (ptx_parser *p, const char *name, ptx_type type, uint32_t num);
void ptx_scope_push (ptx_parser *p);
void ptx_scope_pop (ptx_parser *p);
/* `operand` must not move afterwards. */
void ptx_refer_label (ptx_parser *p, ptx_operand *operand, ptx_name *name, uint32_t line);

/* ptx_parse_target.c: after .version and .target. A version that is not known is
 * LCU_E_UNSUPPORTED. */
void ptx_parse_version (ptx_parser *p);
void ptx_parse_target (ptx_parser *p);

/* ptx_parse_decl.c */
bool ptx_parse_space (ptx_parser *p, ptx_space *space);
/* "global" */
const char *ptx_space_name (ptx_space space);
ptx_type ptx_type_of_token (const ptx_parser *p);
/* .v2 .v4 .v8; 1 when absent */
uint32_t ptx_accept_vector (ptx_parser *p);
void ptx_parse_reg_decl (ptx_parser *p);
typedef struct ptx_linkage {
  bool is_extern, is_weak, is_visible;
} ptx_linkage;
void ptx_parse_variables (ptx_parser *p, ptx_space space, ptx_linkage linkage);
ptx_variable *ptx_parse_params (ptx_parser *p, bool bind, bool is_return);
/* Adds a variable to the function being read. */
void ptx_add_local (ptx_parser *p, ptx_variable *v);
#define PTX_MAX_PARAM_BYTES 65536u
#define PTX_MAX_LOCAL_BYTES (1u << 30)
/* The next offset of the given alignment after *used, which grows by the variable. An error when
 * that exceeds `limit`. */
uint64_t ptx_assign_offset (ptx_parser *p, const ptx_variable *v, uint32_t align, uint32_t *used,
                            uint32_t limit);

/* ptx_parse_formal.c: parameters and results of a .func in registers */
/* After .reg in the head. */
ptx_variable *ptx_parse_formal (ptx_parser *p, bool bind);
/* At the start of the body: declares the registers and loads parameters. */
void ptx_formals_enter (ptx_parser *p);
/* Before a return: stores results. */
void ptx_formals_leave (ptx_parser *p);

/* ptx_parse_taken.c: parameters of a .func whose address is taken */
/* At the end of the body: such parameters become local variables. */
void ptx_parse_taken (ptx_parser *p);
/* As an operand: what is `offset` bytes after the start of the variable. */
ptx_operand ptx_parse_place (ptx_variable *v, uint64_t offset);

/* ptx_parse_hints.c: .maxntid and others. f->is_entry decides which are allowed. */
void ptx_parse_hints (ptx_parser *p, ptx_function *f);

/* ptx_parse_func.c */
void ptx_parse_function (ptx_parser *p, bool is_entry, ptx_linkage linkage);

/* ptx_parse_inst.c */
/* After the opcode's name. guard NULL: none. */
void ptx_parse_inst (ptx_parser *p, ptx_name *opcode, ptx_reg *guard, bool negate, uint32_t line);
/* At '@'. */
void ptx_parse_guarded (ptx_parser *p);
void ptx_parse_branches (ptx_parser *p, ptx_name *name);
/* Appends an instruction that the text does not contain. */
void ptx_add_inst (ptx_parser *p, const char *const *parts, uint32_t num_parts,
                   const ptx_operand *operands, uint32_t num_operands);

/* ptx_const.c: constant expressions */
typedef struct ptx_const {
  bool is_float, single, is_unsigned;
  uint64_t i;
  double f;
} ptx_const;
bool ptx_at_const (const ptx_parser *p);
ptx_const ptx_parse_const (ptx_parser *p);
int64_t ptx_parse_int (ptx_parser *p, const char *what);

/* ptx_init.c: initializers */
/* After '='. Sets v->init and, if the first dimension is open, v->size. */
void ptx_parse_init (ptx_parser *p, ptx_variable *v, uint32_t element, const uint64_t *dims,
                     int num_dims, bool open);

/* ptx_loc.c */
uint32_t ptx_loc_count (const ptx_parser *p);
void ptx_parse_loc (ptx_parser *p);
void ptx_parse_file (ptx_parser *p);
void ptx_parse_section (ptx_parser *p);
/* At the end of a module, because files and strings come after the code that names them. */
void ptx_debug_end_module (ptx_parser *p);
void ptx_debug_finish (ptx_parser *p);
void ptx_debug_free (ptx_parser *p);

#endif
