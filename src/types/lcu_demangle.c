/* lcu_demangle.c: whole mangled names, read by recursive descent: names are in lcu_demangle_name.c,
 * types in lcu_demangle_type.c. Section numbers are those of the Itanium C++ ABI. */
#include <string.h>

#include "lcu_parser.h"

bool lcu_demangle_encoding (lcu_parser *p, lcu_encoding *out) {
  const lcu_type *params[LCU_PARSER_ARGS];
  memset(out, 0, sizeof *out);
  p->template_args = NULL;
  out->name = lcu_demangle_name(p, false);
  if (out->name == NULL) return false;
  if (!*p->at || *p->at == 'E' || *p->at == '.') return true;
  if (out->name->num_args > 0 && p->template_args != NULL && lcu_demangle_type(p) == NULL)
    return false;
  if (!lcu_demangle_params(p, params, &out->num_params)) return false;
  lcu_type *list = lcu_parser_node(p, LCU_TYPE_PACK);
  if (list == NULL || !lcu_parser_set_args(p, list, params, out->num_params)) return false;
  out->params = list->args;
  out->is_function = true;
  return true;
}

static void start (lcu_parser *p, lcu_arena *a, const char *mangled) {
  memset(p, 0, sizeof *p);
  p->arena = a;
  p->start = p->at = mangled;
  p->pack_index = p->pack_size = -1;
}

static lcu_status outcome (const lcu_parser *p, bool whole) {
  if (p->wrong == NULL && whole) return LCU_OK;
  if (p->wrong == lcu_parser_no_memory) return lcu_no_memory("a demangled name");
  return lcu_fail(LCU_E_SYNTAX, "cannot read the type '%s' at character %d: %s", p->start,
                  (int)(p->at - p->start) + 1, p->wrong != NULL ? p->wrong : "text after its end");
}

lcu_status lcu_demangle (lcu_arena *a, const char *mangled, lcu_encoding *out) {
  lcu_parser p;
  start(&p, a, mangled);
  if (!lcu_parser_take2(&p, "_Z")) lcu_parser_stop(&p, "not a C++ name");
  else lcu_demangle_encoding(&p, out);
  return outcome(&p, *p.at == '\0' || *p.at == '.');
}

const lcu_type *lcu_type_bare (const lcu_type *t, unsigned *quals) {
  while (t->kind == LCU_TYPE_QUALIFIED) {
    if (quals != NULL) *quals |= t->quals;
    t = t->inner;
  }
  return t;
}
