/* ptx_init.c: initializers of variables (PTX ISA, "Initializers"). */
#include <string.h>

#include "lcu_half.h"
#include "ptx_parse.h"

enum { MAX_IMAGE = 1 << 28 };

typedef struct init_reader {
  ptx_parser *p;
  ptx_variable *v;
  uint32_t element;    /* bytes of one plain value */
  uint64_t strides[8]; /* bytes of one item at each level of braces */
  int levels;
  bool open; /* the size follows from the values */
  lcu_buf image;
  ptx_init **last;
} init_reader;

static uint32_t single_bits (const ptx_const *c) {
  if (c->f == c->f) return lcu_f32_bits((float)c->f);
  return (uint32_t)(c->i >> 32 & 0x80000000u) | 0x7f800000u | (uint32_t)(c->i >> 29 & 0x7fffffu);
}

static uint64_t value_bits (const ptx_const *c, ptx_type type, uint32_t size) {
  double f = c->is_float ? c->f : c->is_unsigned ? (double)c->i : (double)(int64_t)c->i;
  if (type == PTX_F16 && c->is_float) return lcu_double_to_half(f);
  if (type == PTX_BF16 && c->is_float) return lcu_double_to_bf16(f);
  if (type == PTX_F32) return c->is_float ? single_bits(c) : lcu_f32_bits((float)f);
  if (type == PTX_F64 && !c->is_float) {
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
  }
  return c->is_float && size == 4 ? single_bits(c) : c->i;
}

/* Makes room for `size` bytes at `at`. False after an error. */
static bool reserve (init_reader *r, uint64_t at, uint32_t size) {
  ptx_parser *p = r->p;
  uint64_t end = at + size;
  if (!r->open && end > r->v->size)
    ptx_parse_fail(p, p->tok.line, "too many initial values for '%.80s'", r->v->name);
  else if (end > MAX_IMAGE)
    ptx_parse_fail(p, p->tok.line, "initial values of '%.80s' are too large", r->v->name);
  else if (end > r->image.len) {
    size_t grow = (size_t)(end - r->image.len);
    void *fresh = lcu_buf_space(&r->image, grow);
    if (fresh != NULL) memset(fresh, 0, grow);
    else ptx_parse_alloc(p, SIZE_MAX);
  }
  return p->status == LCU_OK;
}

static void store_value (init_reader *r, uint64_t at, const ptx_const *c) {
  uint64_t bits = value_bits(c, r->v->type, r->element);
  if (!reserve(r, at, r->element)) return;
  for (uint32_t k = 0; k < r->element; k++)
    r->image.data[at + k] = (char)(k < 8 ? bits >> (8 * k) & 0xff : 0);
}

static void store_address (init_reader *r, uint64_t at, ptx_init init) {
  ptx_init *node = ptx_parse_alloc(r->p, sizeof *node);
  if (node == NULL || !reserve(r, at, r->element)) return;
  init.offset = at;
  init.size = r->element;
  *node = init;
  *r->last = node;
  r->last = &node->next;
}

/* name, name + 8, generic(name) + 8 */
static ptx_init parse_symbol (ptx_parser *p) {
  ptx_init init = { .kind = PTX_INIT_VARIABLE };
  uint32_t line = p->tok.line;
  ptx_name *n = ptx_expect_name(p, "a constant or a name");
  if (n != NULL && strcmp(n->text, "generic") == 0 && ptx_accept(p, '(')) {
    init.generic = true;
    n = ptx_expect_name(p, "a name");
    ptx_expect(p, ')');
  }
  ptx_binding *b = n != NULL ? ptx_lookup(p, n) : NULL;
  if (ptx_at(p, '+') || ptx_at(p, '-')) init.bits = (uint64_t)ptx_parse_int(p, "a number of bytes");
  if (p->status != LCU_OK) return init;
  init.symbol = n->text;
  if (b != NULL && b->kind == PTX_BIND_VARIABLE) init.variable = b->p;
  else if (b != NULL && b->kind == PTX_BIND_FUNCTION) {
    init.kind = PTX_INIT_FUNCTION;
    init.function = b->p;
    init.function->address_taken = true;
  } else ptx_parse_fail(p, line, "'%.80s' is not a variable or function", n->text);
  return init;
}

/* 0xFF00(generic(name)+4): one byte of an address. */
static void parse_masked (init_reader *r, uint64_t at, uint64_t mask) {
  uint8_t shift = 0;
  ptx_expect(r->p, '(');
  ptx_init init = parse_symbol(r->p);
  ptx_expect(r->p, ')');
  while (mask != 0 && (mask & 0xff) == 0) {
    mask >>= 8;
    shift = (uint8_t)(shift + 8);
  }
  if (mask != ~(uint64_t)0 >> (64 - 8 * (r->element < 8 ? r->element : 8)))
    ptx_parse_fail_near(r->p, "mask does not fit the element");
  init.shift = shift;
  store_address(r, at, init);
}

static void parse_value (init_reader *r, uint64_t at) {
  ptx_parser *p = r->p;
  bool is_name =
    p->tok.kind == PTX_T_NAME && !(p->tok.len == 7 && memcmp(p->tok.text, "WARP_SZ", 7) == 0);
  if (is_name) {
    store_address(r, at, parse_symbol(p));
    return;
  }
  bool is_int = p->tok.kind == PTX_T_INT;
  ptx_const c = ptx_parse_const(p);
  if (is_int && ptx_at(p, '(')) parse_masked(r, at, c.i);
  else if (p->status == LCU_OK) store_value(r, at, &c);
}

/* At ',' between values: reads the plain integers that follow, if any, without making tokens. */
static uint64_t store_run (init_reader *r, uint64_t at) {
  uint64_t run[256];
  size_t n = 256;
  if (r->v->type == PTX_F32 || r->v->type == PTX_F64) return at;
  while (n == 256 && r->p->status == LCU_OK) {
    n = ptx_lex_numbers(&r->p->lex, run, 256);
    if (n == 0 || !reserve(r, at, (uint32_t)n * r->element)) return at;
    for (size_t k = 0; k < n; k++, at += r->element)
      for (uint32_t b = 0; b < r->element; b++)
        r->image.data[at + b] = (char)(b < 8 ? run[k] >> (8 * b) & 0xff : 0);
  }
  return at;
}

/* At '{': the items of one level, from byte `at` on. Returns the end. */
static uint64_t parse_braces (init_reader *r, int level, uint64_t at) {
  ptx_parser *p = r->p;
  if (level >= r->levels) {
    ptx_parse_fail_near(p, "too many braces");
    return at;
  }
  ptx_next(p);
  while (p->tok.kind != PTX_T_END && !ptx_at(p, '}')) {
    if (ptx_at(p, '{')) {
      uint64_t item = level + 1 < r->levels ? r->strides[level] : 0;
      parse_braces(r, level + 1, at);
      at += item;
    } else {
      parse_value(r, at);
      at += r->element;
    }
    if (!ptx_at(p, ',')) break;
    at = store_run(r, at);
    ptx_next(p);
  }
  ptx_expect(p, '}');
  return at;
}

/* .texref and .samplerref are initialized by field names, which have no effect here. */
static bool skip_fields (ptx_parser *p, const ptx_variable *v) {
  if (v->type != PTX_NOTYPE || !ptx_at(p, '{')) return false;
  ptx_skip_braces(p);
  return true;
}

static void finish_init (init_reader *r, uint64_t end) {
  ptx_parser *p = r->p;
  ptx_variable *v = r->v;
  if (r->open) v->size = end;
  if (r->open && !reserve(r, end, 0)) return;
  ptx_init *image = ptx_parse_alloc(p, sizeof *image);
  uint8_t *data = ptx_parse_alloc(p, r->image.len + 1);
  if (image == NULL || data == NULL) return;
  if (r->image.len != 0) memcpy(data, r->image.data, r->image.len);
  *image = (ptx_init){
    .kind = PTX_INIT_BITS, .size = (uint32_t)r->image.len, .data = data, .next = v->init
  };
  v->init = image;
}

void ptx_parse_init (ptx_parser *p, ptx_variable *v, uint32_t element, const uint64_t *dims,
                     int num_dims, bool open) {
  init_reader r = {
    .p = p, .v = v, .element = element, .levels = num_dims > 0 ? num_dims : 1, .open = open
  };
  uint64_t stride = element, end = element;
  if (skip_fields(p, v)) return;
  r.strides[0] = element;
  for (int k = num_dims - 1; k >= 0; k--) {
    r.strides[k] = stride;
    if (dims[k] != 0 && stride > UINT64_MAX / 2 / dims[k])
      ptx_parse_fail(p, p->tok.line, "'%.80s' is too large", v->name);
    else stride *= dims[k];
  }
  r.last = &v->init;
  if (ptx_at(p, '{')) end = parse_braces(&r, 0, 0);
  else parse_value(&r, 0);
  if (p->status == LCU_OK) finish_init(&r, end);
  lcu_buf_free(&r.image);
}
