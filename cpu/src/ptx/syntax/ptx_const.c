/* ptx_const.c: constant expressions (PTX ISA, "Constant Expressions"). */
#include <string.h>

#include "ptx_parse.h"

enum { MAX_NESTING = 64 };

static ptx_const int_const (uint64_t v, bool is_unsigned) {
  return (ptx_const){ .i = v, .is_unsigned = is_unsigned };
}

static ptx_const float_const (double f) {
  ptx_const c = { .is_float = true, .f = f };
  memcpy(&c.i, &f, sizeof f);
  return c;
}

bool ptx_at_const (const ptx_parser *p) {
  if (p->tok.kind == PTX_T_INT || p->tok.kind == PTX_T_FLOAT) return true;
  return ptx_at(p, '-') || ptx_at(p, '+') || ptx_at(p, '~') || ptx_at(p, '!') || ptx_at(p, '(');
}

static ptx_const parse_conditional (ptx_parser *p);

/* After '(': a cast (.s64) or (.u64), or an expression. */
static ptx_const parse_parenthesis (ptx_parser *p);

static ptx_const parse_primary (ptx_parser *p) {
  ptx_const c = { .i = p->tok.i,
                  .f = p->tok.f,
                  .single = p->tok.single,
                  .is_unsigned = p->tok.is_unsigned,
                  .is_float = p->tok.kind == PTX_T_FLOAT };
  if (ptx_accept(p, '(')) return parse_parenthesis(p);
  if (p->tok.kind == PTX_T_NAME && p->tok.len == 7 && memcmp(p->tok.text, "WARP_SZ", 7) == 0)
    c = int_const(PTX_LANES, false);
  else if (p->tok.kind != PTX_T_INT && p->tok.kind != PTX_T_FLOAT)
    ptx_parse_fail_near(p, "expected a constant");
  ptx_next(p);
  return c;
}

static ptx_const negated (ptx_const c) {
  if (!c.is_float) return int_const(0 - c.i, c.is_unsigned);
  c.f = -c.f;
  c.i ^= (uint64_t)1 << 63;
  return c;
}

static ptx_const parse_unary (ptx_parser *p) {
  ptx_const c = { 0 };
  int op = p->tok.kind == PTX_T_PUNCT ? p->tok.punct : 0;
  if (op != '-' && op != '+' && op != '~' && op != '!') return parse_primary(p);
  if (++p->nesting > MAX_NESTING) ptx_parse_fail(p, p->tok.line, "expression is too deep");
  ptx_next(p);
  if (p->status == LCU_OK) c = parse_unary(p);
  p->nesting--;
  if (op == '-') return negated(c);
  if (op == '+') return c;
  if (c.is_float) ptx_parse_fail_near(p, "expected an integer");
  return op == '~' ? int_const(~c.i, c.is_unsigned) : int_const(c.i == 0, false);
}

static ptx_const parse_parenthesis (ptx_parser *p) {
  ptx_const c = { 0 };
  if (++p->nesting > MAX_NESTING) ptx_parse_fail(p, p->tok.line, "expression is too deep");
  if (p->tok.kind == PTX_T_DOT) {
    bool is_unsigned = ptx_at_dot(p, "u64");
    if (!is_unsigned && !ptx_at_dot(p, "s64")) ptx_parse_fail_near(p, "expected .s64 or .u64");
    ptx_next(p);
    ptx_expect(p, ')');
    if (p->status == LCU_OK) c = parse_unary(p);
    if (c.is_float) ptx_parse_fail_near(p, "expected an integer");
    c.is_unsigned = is_unsigned;
  } else if (p->status == LCU_OK) {
    c = parse_conditional(p);
    ptx_expect(p, ')');
  }
  p->nesting--;
  return c;
}

static int precedence (const ptx_parser *p) {
  if (p->tok.kind != PTX_T_PUNCT) return 0;
  switch (p->tok.punct) {
    case '*':
    case '/':
    case '%': return 10;
    case '+':
    case '-': return 9;
    case PTX_PUNCT_SHL:
    case PTX_PUNCT_SHR: return 8;
    case '<':
    case '>':
    case PTX_PUNCT_LE:
    case PTX_PUNCT_GE: return 7;
    case PTX_PUNCT_EQ:
    case PTX_PUNCT_NE: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case PTX_PUNCT_AND: return 2;
    case PTX_PUNCT_OR: return 1;
    default: return 0;
  }
}

static uint64_t divide (ptx_parser *p, uint64_t a, uint64_t b, bool is_unsigned) {
  if (b == 0) {
    ptx_parse_fail(p, p->tok.line, "division by zero in a constant");
    return 0;
  }
  if (is_unsigned) return a / b;
  if (b == UINT64_MAX) return 0 - a; /* INT64_MIN / -1 would trap */
  return (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t shift_right (uint64_t a, uint64_t n, bool is_unsigned) {
  bool fill = !is_unsigned && (int64_t)a < 0;
  if (n > 63) return fill ? UINT64_MAX : 0;
  return fill ? ~(~a >> n) : a >> n;
}

static bool less (uint64_t a, uint64_t b, bool is_unsigned) {
  return is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

static ptx_const apply_floats (ptx_parser *p, int op, double a, double b) {
  switch (op) {
    case '*': return float_const(a * b);
    case '+': return float_const(a + b);
    case '-': return float_const(a - b);
    case '<': return int_const(a < b, false);
    case '>': return int_const(a > b, false);
    case PTX_PUNCT_LE: return int_const(a <= b, false);
    case PTX_PUNCT_GE: return int_const(a >= b, false);
    case PTX_PUNCT_EQ: return int_const(a <= b && a >= b, false);
    case PTX_PUNCT_NE: return int_const(!(a <= b && a >= b), false);
    case '/':
      if (b < 0 || b > 0) return float_const(a / b);
      ptx_parse_fail(p, p->tok.line, "division by zero in a constant");
      break;
    default: ptx_parse_fail(p, p->tok.line, "this operator takes integers in a constant"); break;
  }
  return float_const(0);
}

/* Both are integers. The remainder is unsigned, as in ptxas. */
static ptx_const apply_ints (ptx_parser *p, int op, ptx_const a, ptx_const b) {
  bool u = a.is_unsigned || b.is_unsigned;
  switch (op) {
    case '*': return int_const(a.i * b.i, u);
    case '/': return int_const(divide(p, a.i, b.i, u), u);
    case '%': return int_const(b.i != 0 ? a.i % b.i : divide(p, a.i, b.i, true), u);
    case '+': return int_const(a.i + b.i, u);
    case '-': return int_const(a.i - b.i, u);
    case PTX_PUNCT_SHL: return int_const(b.i > 63 ? 0 : a.i << b.i, a.is_unsigned);
    case PTX_PUNCT_SHR: return int_const(shift_right(a.i, b.i, a.is_unsigned), a.is_unsigned);
    case '<': return int_const(less(a.i, b.i, u), false);
    case '>': return int_const(less(b.i, a.i, u), false);
    case PTX_PUNCT_LE: return int_const(!less(b.i, a.i, u), false);
    case PTX_PUNCT_GE: return int_const(!less(a.i, b.i, u), false);
    case PTX_PUNCT_EQ: return int_const(a.i == b.i, false);
    case PTX_PUNCT_NE: return int_const(a.i != b.i, false);
    case '&': return int_const(a.i & b.i, u);
    case '^': return int_const(a.i ^ b.i, u);
    case '|': return int_const(a.i | b.i, u);
    case PTX_PUNCT_AND: return int_const(a.i != 0 && b.i != 0, false);
    default: return int_const(a.i != 0 || b.i != 0, false);
  }
}

static ptx_const apply (ptx_parser *p, int op, ptx_const a, ptx_const b) {
  if (a.is_float != b.is_float)
    ptx_parse_fail(p, p->tok.line, "integer and float mixed up in a constant");
  return a.is_float ? apply_floats(p, op, a.f, b.f) : apply_ints(p, op, a, b);
}

static ptx_const parse_binary (ptx_parser *p, int least) {
  ptx_const a = parse_unary(p);
  for (int prec = precedence(p); prec >= least && prec > 0; prec = precedence(p)) {
    int op = p->tok.punct;
    ptx_next(p);
    a = apply(p, op, a, parse_binary(p, prec + 1));
  }
  return a;
}

static ptx_const parse_conditional (ptx_parser *p) {
  ptx_const c = parse_binary(p, 1);
  if (!ptx_at(p, '?')) return c;
  if (c.is_float) ptx_parse_fail_near(p, "expected an integer before");
  if (++p->nesting > MAX_NESTING) ptx_parse_fail(p, p->tok.line, "expression is too deep");
  ptx_next(p);
  ptx_const yes = parse_conditional(p);
  ptx_expect(p, ':');
  ptx_const no = p->status == LCU_OK ? parse_conditional(p) : yes;
  p->nesting--;
  return c.i != 0 ? yes : no;
}

ptx_const ptx_parse_const (ptx_parser *p) { return parse_conditional(p); }

int64_t ptx_parse_int (ptx_parser *p, const char *what) {
  uint32_t line = p->tok.line;
  ptx_const c = parse_conditional(p);
  if (c.is_float) ptx_parse_fail(p, line, "expected %s", what);
  return (int64_t)c.i;
}
