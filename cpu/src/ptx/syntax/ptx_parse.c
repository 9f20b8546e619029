/* ptx_parse.c: the module level of PTX text, and functions that the whole parser uses. */
#include "ptx_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ptx_parse_fail (ptx_parser *p, uint32_t line, const char *fmt, ...) {
  char text[LCU_MESSAGE_SIZE - 32];
  va_list args;
  if (p->status != LCU_OK) return;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  p->status = lcu_fail(LCU_E_SYNTAX, "line %u: %s", (unsigned)line, text);
  p->tok = (ptx_token){ .kind = PTX_T_END, .text = p->lex.end, .line = p->tok.line };
}

/* The message, with the text at the current token. */
void ptx_parse_fail_near (ptx_parser *p, const char *fmt, ...) {
  char text[512], near[48];
  va_list args;
  size_t n = 0;
  if (p->status != LCU_OK) return;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  for (const char *s = p->tok.text; n < p->tok.len && n < sizeof near - 1; n++, s++)
    near[n] = (*s >= ' ' && *s < 127) ? *s : '?';
  near[n] = '\0';
  if (p->tok.kind == PTX_T_END) ptx_parse_fail(p, p->tok.line, "%s at the end of the text", text);
  else
    ptx_parse_fail(p, p->tok.line, "%s near '%s%s'", text, p->tok.kind == PTX_T_DOT ? "." : "",
                   near);
}

void *ptx_parse_alloc (ptx_parser *p, size_t size) {
  void *q = lcu_arena_alloc(&p->ast->arena, size);
  if (q == NULL && p->status == LCU_OK) {
    p->status = lcu_no_memory("PTX text");
    p->tok.kind = PTX_T_END;
  }
  return q;
}

void ptx_next (ptx_parser *p) {
  if (p->status != LCU_OK) return;
  ptx_lex_next(&p->lex, &p->tok);
  if (p->tok.kind == PTX_T_BAD) ptx_parse_fail_near(p, "%s", p->tok.problem);
}

bool ptx_at (const ptx_parser *p, int punct) {
  return p->tok.kind == PTX_T_PUNCT && p->tok.punct == punct;
}

static bool token_is (const ptx_token *t, ptx_token_kind kind, const char *text) {
  return t->kind == kind && strlen(text) == t->len && memcmp(text, t->text, t->len) == 0;
}

bool ptx_at_dot (const ptx_parser *p, const char *name) {
  return token_is(&p->tok, PTX_T_DOT, name);
}

bool ptx_accept (ptx_parser *p, int punct) {
  if (!ptx_at(p, punct)) return false;
  ptx_next(p);
  return true;
}

bool ptx_accept_dot (ptx_parser *p, const char *name) {
  if (!ptx_at_dot(p, name)) return false;
  ptx_next(p);
  return true;
}

bool ptx_expect (ptx_parser *p, int punct) {
  if (ptx_accept(p, punct)) return true;
  ptx_parse_fail_near(p, "expected '%c'", punct);
  return false;
}

/* NULL only after an error. */
ptx_name *ptx_expect_name (ptx_parser *p, const char *what) {
  if (p->tok.kind != PTX_T_NAME) {
    ptx_parse_fail_near(p, "expected %s", what);
    return NULL;
  }
  ptx_name *n = ptx_name_intern(p, p->tok.text, p->tok.len);
  ptx_next(p);
  return n;
}

uint64_t ptx_expect_uint (ptx_parser *p, const char *what) {
  uint64_t v = p->tok.i;
  if (p->tok.kind != PTX_T_INT) {
    ptx_parse_fail_near(p, "expected %s", what);
    return 0;
  }
  ptx_next(p);
  return v;
}

/* At '{': skips past the matching '}'. */
void ptx_skip_braces (ptx_parser *p) {
  uint32_t open = 0, line = p->tok.line;
  do {
    if (ptx_at(p, '{')) open++;
    if (ptx_at(p, '}')) open--;
    if (p->tok.kind == PTX_T_END) {
      ptx_parse_fail(p, line, "'{' without '}'");
      return;
    }
    ptx_next(p);
  } while (open > 0);
}

/* Skips past the next ';'. */
void ptx_skip_statement (ptx_parser *p) {
  while (p->tok.kind != PTX_T_END && !ptx_at(p, ';')) {
    if (ptx_at(p, '{')) ptx_skip_braces(p);
    else ptx_next(p);
  }
  ptx_expect(p, ';');
}

static void parse_address_size (ptx_parser *p) {
  uint32_t line = p->tok.line;
  if (p->version < 23) ptx_parse_fail(p, line, ".address_size needs .version 2.3 or later");
  if (ptx_expect_uint(p, "an address size") != 64)
    ptx_parse_fail(p, line, "only .address_size 64 is supported");
}

/* .alias name, function; */
static void parse_alias (ptx_parser *p) {
  ptx_name *alias = ptx_expect_name(p, "a function name");
  ptx_expect(p, ',');
  ptx_name *target = ptx_expect_name(p, "a function name");
  ptx_expect(p, ';');
  if (p->status != LCU_OK) return;
  ptx_binding *b = ptx_lookup(p, target), *mine = alias->top;
  if (b == NULL || b->kind != PTX_BIND_FUNCTION)
    ptx_parse_fail(p, p->tok.line, "'%.80s' is not a function", target->text);
  else if (mine != NULL && mine->kind == PTX_BIND_FUNCTION) { /* declared before */
    ((ptx_function *)mine->p)->is_extern = true;
    mine->p = b->p;
  } else ptx_bind(p, alias, PTX_BIND_FUNCTION, b->p);
}

/* .visible .extern .weak .common before a declaration; what is .common may be defined several
 * times, too */
static ptx_linkage parse_linkage (ptx_parser *p) {
  ptx_linkage l = { 0 };
  for (;;) {
    if (ptx_accept_dot(p, "extern")) l.is_extern = true;
    else if (ptx_accept_dot(p, "weak") || ptx_accept_dot(p, "common")) l.is_weak = true;
    else if (ptx_accept_dot(p, "visible")) l.is_visible = true;
    else return l;
  }
}

static void parse_declaration (ptx_parser *p) {
  ptx_linkage linkage = parse_linkage(p);
  ptx_space space;
  if (ptx_at_dot(p, "entry") || ptx_at_dot(p, "func")) {
    bool is_entry = ptx_at_dot(p, "entry");
    ptx_next(p);
    ptx_parse_function(p, is_entry, linkage);
  } else if (ptx_parse_space(p, &space)) ptx_parse_variables(p, space, linkage);
  else ptx_parse_fail_near(p, "expected a directive");
}

typedef struct directive {
  const char *name;
  void (*parse)(ptx_parser *p);
} directive;

static const directive directives[] = {
  { "version", ptx_parse_version },       { "target", ptx_parse_target },
  { "address_size", parse_address_size }, { "file", ptx_parse_file },
  { "section", ptx_parse_section },       { "loc", ptx_parse_loc },
  { "pragma", ptx_skip_statement },       { "alias", parse_alias },
};

static void parse_top (ptx_parser *p) {
  if (ptx_accept(p, ';')) return;
  for (size_t i = 0; i < lcu_arraylen(directives); i++)
    if (ptx_accept_dot(p, directives[i].name)) {
      directives[i].parse(p);
      return;
    }
  parse_declaration(p);
}

static void parse_module (ptx_parser *p) {
  ptx_next(p);
  while (p->tok.kind != PTX_T_END) parse_top(p);
  if (p->version == 0) ptx_parse_fail(p, 1, "no .version: this is not PTX");
  if (p->target == 0) ptx_parse_fail(p, 1, "no .target");
  ptx_debug_end_module(p);
  ptx_debug_finish(p);
}

lcu_status ptx_parse (const char *text, size_t len, struct ptx_module_ast *out) {
  *out = (struct ptx_module_ast){ 0 };
  ptx_parser *p = lcu_calloc(1, sizeof *p);
  if (p == NULL) return lcu_no_memory("PTX text");
  p->ast = out;
  p->last_variable = &out->variables;
  p->last_function = &out->functions;
  p->last_proto = &out->protos;
  ptx_lex_start(&p->lex, text, len);
  parse_module(p);
  lcu_status status = p->status;
  ptx_debug_free(p);
  ptx_names_free(&p->names);
  lcu_buf_free(&p->regs);
  lcu_free(p);
  if (status != LCU_OK) {
    lcu_arena_free(&out->arena);
    *out = (struct ptx_module_ast){ 0 };
  }
  return status;
}
