/* lcu_demangle_name.c: names, sections 5.1.3 to 5.1.6 of the Itanium C++ ABI. */
#include <ctype.h>
#include <string.h>

#include "lcu_parser.h"

/* Namespaces that only distinguish versions of a library (cuda::std::__4), and the compiler's name
 * of unnamed ones. */
static bool version_namespace (const char *s, size_t n) {
  if (n < 3 || s[0] != '_' || s[1] != '_') return false;
  for (size_t i = 2; i < n; i++)
    if (!isdigit((unsigned char)s[i])) return false;
  return true;
}
static bool unnamed_namespace (const char *s, size_t n) {
  return n >= 10 && memcmp(s, "_GLOBAL__N", 10) == 0;
}
static bool file_namespace (const char *s, size_t n) {
  return n >= 10 && memcmp(s, "_INTERNAL_", 10) == 0;
}

/* scope::part, or part. */
static const lcu_type *qualified_name (lcu_parser *p, const lcu_type *scope, const char *part,
                                       size_t len) {
  lcu_type *t = lcu_parser_node(p, LCU_TYPE_NAMED);
  if (t == NULL) return NULL;
  lcu_buf b = { 0 };
  bool skip = version_namespace(part, len) || file_namespace(part, len),
       unnamed = unnamed_namespace(part, len);
  if (scope != NULL) lcu_buf_adds(&b, scope->text);
  if (!skip && b.len > 0) lcu_buf_adds(&b, "::");
  if (unnamed) lcu_buf_adds(&b, "(anonymous namespace)");
  else if (!skip) lcu_buf_add(&b, part, len);
  t->internal = unnamed || (scope != NULL && scope->internal);
  t->text = t->base = lcu_parser_keep(p, &b);
  return t->text != NULL ? t : NULL;
}

static void print_args (const lcu_type *pack, lcu_buf *b, bool first) {
  for (size_t i = 0; i < pack->num_args; i++) {
    const lcu_type *a = pack->args[i];
    if (a->kind == LCU_TYPE_PACK) {
      print_args(a, b, first);
      first = first && a->num_args == 0;
      continue;
    }
    if (!first) lcu_buf_adds(b, ", ");
    lcu_type_print(a, b);
    first = false;
  }
}

static const lcu_type *instance_name (lcu_parser *p, const lcu_type *base, const lcu_type *args) {
  lcu_type *t = lcu_parser_node(p, LCU_TYPE_NAMED);
  if (t == NULL) return NULL;
  lcu_buf b = { 0 };
  lcu_buf_adds(&b, base->text);
  lcu_buf_adds(&b, "<");
  print_args(args, &b, true);
  lcu_buf_adds(&b, ">");
  t->text = lcu_parser_keep(p, &b);
  t->base = base->text;
  t->internal = base->internal;
  t->args = args->args;
  t->num_args = args->num_args;
  return t->text != NULL ? t : NULL;
}

/* The text of a literal of type `t`: digits, 'n' for minus. */
static const lcu_type *literal_of (lcu_parser *p, const lcu_type *t) {
  const char *from = p->at, *end = strchr(p->at, 'E');
  if (end == NULL) return lcu_parser_stop(p, "unfinished literal");
  p->at = end + 1;
  lcu_type *lit = lcu_parser_node(p, LCU_TYPE_LITERAL);
  if (lit == NULL) return NULL;
  lcu_buf b = { 0 };
  char code = t->kind == LCU_TYPE_BUILTIN ? t->code[0] : 0;
  if (code == 'b') lcu_buf_adds(&b, *from == '1' ? "true" : "false");
  else {
    if (!code) {
      lcu_buf_adds(&b, "(");
      lcu_type_print(t, &b);
      lcu_buf_adds(&b, ")");
    }
    if (*from == 'n' && from < end) {
      lcu_buf_adds(&b, "-");
      from++;
    }
    lcu_buf_add(&b, from, (size_t)(end - from));
  }
  lit->text = lcu_parser_keep(p, &b);
  return lit->text != NULL ? lit : NULL;
}

/* 5.1.6.1 <expr-primary> after its 'L'. */
static const lcu_type *parse_literal (lcu_parser *p) {
  if (p->at[0] == '_' && p->at[1] == 'Z') {
    lcu_encoding e;
    p->at += 2;
    if (!lcu_demangle_encoding(p, &e) || !lcu_parser_take(p, 'E'))
      return lcu_parser_stop(p, "entity as template argument");
    lcu_type *lit = lcu_parser_node(p, LCU_TYPE_LITERAL);
    if (lit != NULL) lit->text = e.name->text;
    return lit;
  }
  const lcu_type *t = lcu_demangle_type(p);
  return t != NULL ? literal_of(p, t) : NULL;
}

/* 5.1.6: expressions that name a parameter, an entity or its address. */
static const lcu_type *parse_expression (lcu_parser *p) {
  const lcu_type *t = NULL;
  while (lcu_parser_take2(p, "ad")) {}
  if (*p->at == 'T') t = lcu_demangle_template_param(p);
  else if (lcu_parser_take(p, 'L')) t = parse_literal(p);
  return t != NULL && lcu_parser_take(p, 'E')
           ? t
           : lcu_parser_stop(p, "expression as template argument");
}

static const lcu_type *parse_pack (lcu_parser *p, const char *what);

static const lcu_type *parse_template_arg (lcu_parser *p) {
  if (lcu_parser_take(p, 'L')) return parse_literal(p);
  if (lcu_parser_take(p, 'X')) return parse_expression(p);
  if (lcu_parser_take(p, 'J')) return parse_pack(p, "argument pack");
  return lcu_demangle_type(p);
}

/* Template arguments up to their 'E', after the 'I' or 'J'. */
static const lcu_type *parse_pack (lcu_parser *p, const char *what) {
  const lcu_type *args[LCU_PARSER_ARGS];
  size_t n = 0;
  if (!lcu_parser_enter(p)) return NULL;
  while (!lcu_parser_take(p, 'E')) {
    if (n == LCU_PARSER_ARGS || !*p->at) return lcu_parser_stop(p, what);
    args[n] = parse_template_arg(p);
    if (args[n++] == NULL) return NULL;
  }
  p->depth--;
  lcu_type *t = lcu_parser_node(p, LCU_TYPE_PACK);
  return t != NULL && lcu_parser_set_args(p, t, args, n) ? t : NULL;
}

const lcu_type *lcu_demangle_source_name (lcu_parser *p, const lcu_type *scope) {
  int64_t len;
  if (!lcu_parser_digits(p, &len)) return lcu_parser_stop(p, "name without a length");
  if (len <= 0 || (int64_t)strnlen(p->at, (size_t)len) < len)
    return lcu_parser_stop(p, "name shorter than its length");
  const char *s = p->at;
  p->at += len;
  return qualified_name(p, scope, s, (size_t)len);
}

/* 5.1.7: closures and unnamed types: Ul <types> E [n] _, Ut [n] _. */
static const lcu_type *parse_unnamed (lcu_parser *p, const lcu_type *scope) {
  bool closure = p->at[1] == 'l';
  size_t index;
  p->at += 2;
  while (closure && !lcu_parser_take(p, 'E'))
    if (lcu_demangle_type(p) == NULL) return NULL;
  if (!lcu_parser_index(p, 10, &index)) return lcu_parser_stop(p, "unnamed type");
  const char *text = closure ? "{lambda}" : "{unnamed}";
  return qualified_name(p, scope, text, strlen(text));
}

/* <unqualified-name> with its ABI tags. */
static const lcu_type *parse_component (lcu_parser *p, const lcu_type *scope) {
  const lcu_type *t;
  lcu_parser_take(p, 'L'); /* internal linkage */
  if (p->at[0] == 'U' && (p->at[1] == 't' || p->at[1] == 'l')) t = parse_unnamed(p, scope);
  else if (isdigit((unsigned char)*p->at)) t = lcu_demangle_source_name(p, scope);
  else return lcu_parser_stop(p, "operator or constructor name");
  int64_t len;
  while (t != NULL && lcu_parser_take(p, 'B')) {
    if (!lcu_parser_digits(p, &len) || (int64_t)strnlen(p->at, (size_t)len) < len)
      return lcu_parser_stop(p, "ABI tag");
    p->at += len;
  }
  return t;
}

const lcu_type *lcu_demangle_substitution (lcu_parser *p) {
  static const struct {
    char code;
    const char *name;
  } standard[] = {
    { 't', "std" },           { 'a', "std::allocator" }, { 'b', "std::basic_string" },
    { 's', "std::string" },   { 'i', "std::istream" },   { 'o', "std::ostream" },
    { 'd', "std::iostream" },
  };
  for (size_t i = 0; i < lcu_arraylen(standard); i++)
    if (lcu_parser_take(p, standard[i].code))
      return qualified_name(p, NULL, standard[i].name, strlen(standard[i].name));
  size_t index;
  if (!lcu_parser_index(p, 36, &index) || index >= p->num_subs)
    return lcu_parser_stop(p, "unknown substitution");
  return p->subs[index];
}

const lcu_type *lcu_demangle_template_param (lcu_parser *p) {
  size_t index;
  p->at++;
  if (!lcu_parser_index(p, 10, &index)) return lcu_parser_stop(p, "template parameter");
  if (p->template_args == NULL || index >= p->template_args->num_args)
    return lcu_parser_stop(p, "template parameter without argument");
  const lcu_type *t = p->template_args->args[index];
  if (t->kind != LCU_TYPE_PACK) return t;
  p->pack_size = (int64_t)t->num_args;
  return p->pack_index >= 0 && (size_t)p->pack_index < t->num_args ? t->args[p->pack_index] : t;
}

const lcu_type *lcu_demangle_args (lcu_parser *p, const lcu_type *base, bool as_type) {
  if (base == NULL || !lcu_parser_take(p, 'I')) return base;
  if (base->kind != LCU_TYPE_NAMED) return lcu_parser_stop(p, "template arguments after a type");
  const lcu_type *args = parse_pack(p, "template arguments");
  if (args == NULL) return NULL;
  if (!as_type) p->template_args = args;
  return instance_name(p, base, args);
}

/* N ... E: every proper prefix becomes a substitution; the caller that uses the whole as a type
 * adds it. */
static const lcu_type *parse_nested (lcu_parser *p, bool as_type) {
  const lcu_type *t = NULL;
  while (*p->at == 'r' || *p->at == 'V' || *p->at == 'K') p->at++;
  while (*p->at == 'R' || *p->at == 'O') p->at++;
  while (!lcu_parser_take(p, 'E')) {
    bool fresh = true;
    if (*p->at == 'S') {
      p->at++;
      fresh = false;
      if (t != NULL) return lcu_parser_stop(p, "substitution inside a nested name");
      t = lcu_demangle_substitution(p);
    } else if (*p->at == 'I') t = lcu_demangle_args(p, t, as_type);
    else if (*p->at == 'T') t = lcu_demangle_template_param(p);
    else t = parse_component(p, t);
    if (t == NULL || t->kind != LCU_TYPE_NAMED) return lcu_parser_stop(p, "nested name");
    if (fresh && *p->at != 'E' && lcu_parser_remember(p, t) == NULL) return NULL;
  }
  return t != NULL ? t : lcu_parser_stop(p, "empty nested name");
}

/* Z <encoding> E <entity> [_<discriminator>]: an entity inside a function. */
static const lcu_type *parse_local (lcu_parser *p, bool as_type) {
  lcu_encoding e;
  const lcu_type *outer_args = p->template_args;
  if (!lcu_demangle_encoding(p, &e) || !lcu_parser_take(p, 'E'))
    return lcu_parser_stop(p, "local name");
  p->template_args = outer_args;
  if (lcu_parser_take(p, 's')) return e.name;
  if (lcu_parser_take(p, 'd')) {
    size_t index;
    if (!lcu_parser_index(p, 10, &index)) return lcu_parser_stop(p, "local name");
  }
  const lcu_type *inner = lcu_demangle_name(p, as_type);
  if (inner == NULL) return NULL;
  int64_t skip;
  if (*p->at == '_') {
    bool two = p->at[1] == '_';
    p->at += two ? 2 : 1;
    if (!lcu_parser_digits(p, &skip)) return lcu_parser_stop(p, "local name");
    if (two) lcu_parser_take(p, '_');
  }
  lcu_type *t = (lcu_type *)qualified_name(p, e.name, inner->text, strlen(inner->text));
  if (t == NULL) return NULL;
  t->internal = true;
  t->args = inner->args;
  t->num_args = inner->num_args;
  return t;
}

static const lcu_type *parse_plain_name (lcu_parser *p, bool as_type) {
  const lcu_type *t;
  bool fresh = true;
  if (*p->at == 'S' && p->at[1] == 't') {
    p->at += 2;
    t = parse_component(p, qualified_name(p, NULL, "std", 3));
  } else if (lcu_parser_take(p, 'S')) {
    t = lcu_demangle_substitution(p);
    fresh = false;
  } else t = parse_component(p, NULL);
  if (t != NULL && *p->at == 'I') {
    if (fresh && lcu_parser_remember(p, t) == NULL) return NULL;
    t = lcu_demangle_args(p, t, as_type);
  }
  return t;
}

const lcu_type *lcu_demangle_name (lcu_parser *p, bool as_type) {
  const lcu_type *t;
  if (!lcu_parser_enter(p)) return NULL;
  if (lcu_parser_take(p, 'N')) t = parse_nested(p, as_type);
  else if (lcu_parser_take(p, 'Z')) t = parse_local(p, as_type);
  else t = parse_plain_name(p, as_type);
  p->depth--;
  return t == NULL || t->kind == LCU_TYPE_NAMED
           ? t
           : lcu_parser_stop(p, "name of an entity without one");
}
