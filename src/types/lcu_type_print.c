/* lcu_type_print.c: type trees as C++ declarations without a name. A declarator ("*", "(*)[4]") is
 * built from the outside in and follows the innermost type at the end. */
#include "lcu_demangle.h"

#define MAX_PRINTED 65536 /* the text of a tree with shared parts can be far longer than the name */

static void print (const lcu_type *t, const char *declarator, unsigned quals, lcu_buf *out);

static void print_quals (unsigned quals, lcu_buf *out) {
  if (quals & LCU_QUAL_CONST) lcu_buf_adds(out, "const ");
  if (quals & LCU_QUAL_VOLATILE) lcu_buf_adds(out, "volatile ");
  if (quals & LCU_QUAL_RESTRICT) lcu_buf_adds(out, "__restrict__ ");
}

static void print_plain (const char *text, const char *declarator, unsigned quals, lcu_buf *out) {
  print_quals(quals, out);
  lcu_buf_adds(out, text);
  if (*declarator) lcu_buf_addf(out, " %s", declarator);
}

static void print_list (const lcu_type *t, lcu_buf *out) {
  for (size_t i = 0; i < t->num_args; i++) {
    if (i > 0) lcu_buf_adds(out, ", ");
    print(t->args[i], "", 0, out);
  }
}

/* `mark` and then the declarator, in parentheses where the following part binds tighter. */
static void print_through (const lcu_type *t, const char *mark, const char *declarator,
                           unsigned quals, lcu_buf *out) {
  const lcu_type *inner = lcu_type_bare(t->inner, NULL);
  bool group = inner->kind == LCU_TYPE_ARRAY || inner->kind == LCU_TYPE_FUNCTION;
  lcu_buf d = { 0 };
  lcu_buf_addf(&d, "%s%s", group ? "(" : "", mark);
  print_quals(quals, &d);
  lcu_buf_adds(&d, declarator);
  if (d.len > 0 && d.data[d.len - 1] == ' ') d.data[--d.len] = '\0';
  if (group) lcu_buf_adds(&d, ")");
  print(t->inner, d.data != NULL ? d.data : "", 0, out);
  lcu_buf_free(&d);
}

static void print_array (const lcu_type *t, const char *declarator, unsigned quals, lcu_buf *out) {
  lcu_buf d = { 0 };
  if (t->extent >= 0) lcu_buf_addf(&d, "%s[%lld]", declarator, (long long)t->extent);
  else lcu_buf_addf(&d, "%s[]", declarator);
  print(t->inner, d.data != NULL ? d.data : "", quals, out);
  lcu_buf_free(&d);
}

static void print_function (const lcu_type *t, const char *declarator, lcu_buf *out) {
  lcu_buf d = { 0 };
  lcu_buf_addf(&d, "%s(", declarator);
  print_list(t, &d);
  lcu_buf_adds(&d, ")");
  print(t->inner, d.data != NULL ? d.data : "", 0, out);
  lcu_buf_free(&d);
}

static void print_vector (const lcu_type *t, const char *declarator, unsigned quals, lcu_buf *out) {
  lcu_buf d = { 0 };
  lcu_buf_adds(&d, "vector of ");
  print(t->inner, "", 0, &d);
  print_plain(d.data != NULL ? d.data : "", declarator, quals, out);
  lcu_buf_free(&d);
}

static void print_member (const lcu_type *t, const char *declarator, unsigned quals, lcu_buf *out) {
  lcu_buf mark = { 0 };
  print(t->args[0], "", 0, &mark);
  lcu_buf_adds(&mark, "::*");
  print_through(t, mark.data != NULL ? mark.data : "", declarator, quals, out);
  lcu_buf_free(&mark);
}

static void print (const lcu_type *t, const char *declarator, unsigned quals, lcu_buf *out) {
  if (out->len > MAX_PRINTED) return;
  switch (t->kind) {
    case LCU_TYPE_POINTER: print_through(t, "*", declarator, quals, out); break;
    case LCU_TYPE_REFERENCE: print_through(t, "&", declarator, quals, out); break;
    case LCU_TYPE_RVALUE: print_through(t, "&&", declarator, quals, out); break;
    case LCU_TYPE_QUALIFIED: print(t->inner, declarator, quals | t->quals, out); break;
    case LCU_TYPE_ARRAY: print_array(t, declarator, quals, out); break;
    case LCU_TYPE_VECTOR: print_vector(t, declarator, quals, out); break;
    case LCU_TYPE_FUNCTION: print_function(t, declarator, out); break;
    case LCU_TYPE_MEMBER: print_member(t, declarator, quals, out); break;
    case LCU_TYPE_PACK: print_list(t, out); break;
    case LCU_TYPE_BUILTIN:
    case LCU_TYPE_NAMED:
    case LCU_TYPE_LITERAL: print_plain(t->text, declarator, quals, out); break;
    default: break;
  }
}

void lcu_type_print (const lcu_type *t, lcu_buf *out) { print(t, "", 0, out); }
