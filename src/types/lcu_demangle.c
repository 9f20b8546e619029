/* lcu_demangle.c: recursive descent over a mangled name. Section numbers are those of the Itanium
 * C++ ABI. */
#include "lcu_demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SUBS 512
#define MAX_ARGS 256
#define MAX_DEPTH 128
#define MAX_TEXT 65536        /* substitutions can double a name repeatedly */
#define MAX_TEXTS (16u << 20) /* of all names together */
#define MAX_STEPS \
  100000 /* a pattern with packs is read once for each element, and so are patterns inside it */

typedef struct parser {
  lcu_arena *arena;
  const char *start, *at;
  const lcu_type *subs[MAX_SUBS]; /* 5.1.10: what S_, S0_, ... refer to */
  size_t num_subs;
  const lcu_type *template_args; /* a PACK: what T_, T0_, ... refer to */
  int64_t pack_index;            /* element of packs to take during an expansion; -1: none */
  int64_t pack_size;             /* of the last pack read; -1: none */
  int depth, steps;
  size_t kept;       /* bytes of text */
  const char *wrong; /* first failure */
} parser;

static const lcu_type *parse_type (parser *p);
static const lcu_type *parse_name (parser *p, bool as_type);
static const lcu_type *parse_template_param (parser *p);
static bool parse_encoding (parser *p, lcu_encoding *out);

static const void *stop (parser *p, const char *why) {
  if (p->wrong == NULL) p->wrong = why;
  return NULL;
}

/* Enters a nested level; the caller decrements `depth` afterwards. False: a limit is exceeded. */
static bool enter (parser *p) {
  if (p->depth >= MAX_DEPTH) return stop(p, "nested too deeply") != NULL;
  if (++p->steps > MAX_STEPS) return stop(p, "too long") != NULL;
  p->depth++;
  return true;
}

static bool take (parser *p, char c) {
  if (*p->at != c) return false;
  p->at++;
  return true;
}

static bool take2 (parser *p, const char *two) {
  if (p->at[0] != two[0] || p->at[1] != two[1]) return false;
  p->at += 2;
  return true;
}

static lcu_type *node (parser *p, lcu_type_kind kind) {
  lcu_type *t = lcu_arena_alloc(p->arena, sizeof *t);
  if (t == NULL) stop(p, "out of memory");
  else t->kind = kind;
  return t;
}

static const lcu_type *wrap (parser *p, lcu_type_kind kind, const lcu_type *inner) {
  lcu_type *t = inner != NULL ? node(p, kind) : NULL;
  if (t != NULL) t->inner = inner;
  return t;
}

static const lcu_type *remember (parser *p, const lcu_type *t) {
  if (t == NULL) return NULL;
  if (p->num_subs == MAX_SUBS) return stop(p, "too many substitutions");
  p->subs[p->num_subs++] = t;
  return t;
}

static const char *keep (parser *p, lcu_buf *b) {
  bool fits = b->failed || (b->len <= MAX_TEXT && (p->kept += b->len) <= MAX_TEXTS);
  const char *s =
    fits && !b->failed ? lcu_arena_strndup(p->arena, b->data != NULL ? b->data : "", b->len) : NULL;
  lcu_buf_free(b);
  if (s == NULL) stop(p, fits ? "out of memory" : "name too long");
  return s;
}

static bool set_args (parser *p, lcu_type *t, const lcu_type **args, size_t n) {
  t->args = lcu_arena_alloc(p->arena, (n + 1) * sizeof *args);
  if (t->args == NULL) return stop(p, "out of memory") != NULL;
  if (n > 0) memcpy(t->args, args, n * sizeof *args);
  t->num_args = n;
  return true;
}

/* <number>, digits only. */
static bool parse_digits (parser *p, int64_t *out) {
  if (!isdigit((unsigned char)*p->at)) return false;
  int64_t v = 0;
  while (isdigit((unsigned char)*p->at)) {
    if (v > INT64_MAX / 10 - 10) return false;
    v = v * 10 + (*p->at++ - '0');
  }
  *out = v;
  return true;
}

/* <seq-id> or <number> before '_': "_" is 0, "0_" is 1. */
static bool parse_index (parser *p, int base, size_t *out) {
  size_t v = 0;
  if (take(p, '_')) {
    *out = 0;
    return true;
  }
  for (; *p->at != '_'; p->at++) {
    char c = *p->at;
    if (isdigit((unsigned char)c)) v = v * (size_t)base + (size_t)(c - '0');
    else if (base == 36 && c >= 'A' && c <= 'Z') v = v * 36 + (size_t)(c - 'A') + 10;
    else return false;
    if (v > 1000000) return false;
  }
  p->at++;
  *out = v + 1;
  return true;
}


/* ---- names, 5.1.3 to 5.1.6 ---- */

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
static const lcu_type *qualified_name (parser *p, const lcu_type *scope, const char *part,
                                       size_t len) {
  lcu_type *t = node(p, LCU_TYPE_NAMED);
  if (t == NULL) return NULL;
  lcu_buf b = { 0 };
  bool skip = version_namespace(part, len) || file_namespace(part, len),
       unnamed = unnamed_namespace(part, len);
  if (scope != NULL) lcu_buf_adds(&b, scope->text);
  if (!skip && b.len > 0) lcu_buf_adds(&b, "::");
  if (unnamed) lcu_buf_adds(&b, "(anonymous namespace)");
  else if (!skip) lcu_buf_add(&b, part, len);
  t->internal = unnamed || (scope != NULL && scope->internal);
  t->text = t->base = keep(p, &b);
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

static const lcu_type *instance_name (parser *p, const lcu_type *base, const lcu_type *args) {
  lcu_type *t = node(p, LCU_TYPE_NAMED);
  if (t == NULL) return NULL;
  lcu_buf b = { 0 };
  lcu_buf_adds(&b, base->text);
  lcu_buf_adds(&b, "<");
  print_args(args, &b, true);
  lcu_buf_adds(&b, ">");
  t->text = keep(p, &b);
  t->base = base->text;
  t->internal = base->internal;
  t->args = args->args;
  t->num_args = args->num_args;
  return t->text != NULL ? t : NULL;
}

/* The text of a literal of type `t`: digits, 'n' for minus. */
static const lcu_type *literal_of (parser *p, const lcu_type *t) {
  const char *from = p->at, *end = strchr(p->at, 'E');
  if (end == NULL) return stop(p, "unfinished literal");
  p->at = end + 1;
  lcu_type *lit = node(p, LCU_TYPE_LITERAL);
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
  lit->text = keep(p, &b);
  return lit->text != NULL ? lit : NULL;
}

/* 5.1.6.1 <expr-primary> after its 'L'. */
static const lcu_type *parse_literal (parser *p) {
  if (p->at[0] == '_' && p->at[1] == 'Z') {
    lcu_encoding e;
    p->at += 2;
    if (!parse_encoding(p, &e) || !take(p, 'E')) return stop(p, "entity as template argument");
    lcu_type *lit = node(p, LCU_TYPE_LITERAL);
    if (lit != NULL) lit->text = e.name->text;
    return lit;
  }
  const lcu_type *t = parse_type(p);
  return t != NULL ? literal_of(p, t) : NULL;
}

/* 5.1.6: expressions that name a parameter, an entity or its address. */
static const lcu_type *parse_expression (parser *p) {
  const lcu_type *t = NULL;
  while (take2(p, "ad")) {}
  if (*p->at == 'T') t = parse_template_param(p);
  else if (take(p, 'L')) t = parse_literal(p);
  return t != NULL && take(p, 'E') ? t : stop(p, "expression as template argument");
}

static const lcu_type *parse_pack (parser *p, const char *what);

static const lcu_type *parse_template_arg (parser *p) {
  if (take(p, 'L')) return parse_literal(p);
  if (take(p, 'X')) return parse_expression(p);
  if (take(p, 'J')) return parse_pack(p, "argument pack");
  return parse_type(p);
}

/* Template arguments up to their 'E', after the 'I' or 'J'. */
static const lcu_type *parse_pack (parser *p, const char *what) {
  const lcu_type *args[MAX_ARGS];
  size_t n = 0;
  if (!enter(p)) return NULL;
  while (!take(p, 'E')) {
    if (n == MAX_ARGS || !*p->at) return stop(p, what);
    args[n] = parse_template_arg(p);
    if (args[n++] == NULL) return NULL;
  }
  p->depth--;
  lcu_type *t = node(p, LCU_TYPE_PACK);
  return t != NULL && set_args(p, t, args, n) ? t : NULL;
}

/* <source-name> */
static const lcu_type *parse_source_name (parser *p, const lcu_type *scope) {
  int64_t len;
  if (!parse_digits(p, &len)) return stop(p, "name without a length");
  if (len <= 0 || (int64_t)strnlen(p->at, (size_t)len) < len)
    return stop(p, "name shorter than its length");
  const char *s = p->at;
  p->at += len;
  return qualified_name(p, scope, s, (size_t)len);
}

/* 5.1.7: closures and unnamed types: Ul <types> E [n] _, Ut [n] _. */
static const lcu_type *parse_unnamed (parser *p, const lcu_type *scope) {
  bool closure = p->at[1] == 'l';
  size_t index;
  p->at += 2;
  while (closure && !take(p, 'E'))
    if (parse_type(p) == NULL) return NULL;
  if (!parse_index(p, 10, &index)) return stop(p, "unnamed type");
  const char *text = closure ? "{lambda}" : "{unnamed}";
  return qualified_name(p, scope, text, strlen(text));
}

/* <unqualified-name> with its ABI tags. */
static const lcu_type *parse_component (parser *p, const lcu_type *scope) {
  const lcu_type *t;
  take(p, 'L'); /* internal linkage */
  if (p->at[0] == 'U' && (p->at[1] == 't' || p->at[1] == 'l')) t = parse_unnamed(p, scope);
  else if (isdigit((unsigned char)*p->at)) t = parse_source_name(p, scope);
  else return stop(p, "operator or constructor name");
  int64_t len;
  while (t != NULL && take(p, 'B')) {
    if (!parse_digits(p, &len) || (int64_t)strnlen(p->at, (size_t)len) < len)
      return stop(p, "ABI tag");
    p->at += len;
  }
  return t;
}

/* 5.1.10 <substitution> after its 'S', including the standard abbreviations. */
static const lcu_type *parse_substitution (parser *p) {
  static const struct {
    char code;
    const char *name;
  } standard[] = {
    { 't', "std" },           { 'a', "std::allocator" }, { 'b', "std::basic_string" },
    { 's', "std::string" },   { 'i', "std::istream" },   { 'o', "std::ostream" },
    { 'd', "std::iostream" },
  };
  for (size_t i = 0; i < lcu_arraylen(standard); i++)
    if (take(p, standard[i].code))
      return qualified_name(p, NULL, standard[i].name, strlen(standard[i].name));
  size_t index;
  if (!parse_index(p, 36, &index) || index >= p->num_subs) return stop(p, "unknown substitution");
  return p->subs[index];
}

/* 5.1.6.2 <template-param> */
static const lcu_type *parse_template_param (parser *p) {
  size_t index;
  p->at++;
  if (!parse_index(p, 10, &index)) return stop(p, "template parameter");
  if (p->template_args == NULL || index >= p->template_args->num_args)
    return stop(p, "template parameter without argument");
  const lcu_type *t = p->template_args->args[index];
  if (t->kind != LCU_TYPE_PACK) return t;
  p->pack_size = (int64_t)t->num_args;
  return p->pack_index >= 0 && (size_t)p->pack_index < t->num_args ? t->args[p->pack_index] : t;
}

/* Template arguments of `base`, if any. At the end of a function's name T_ refers to them. */
static const lcu_type *with_args (parser *p, const lcu_type *base, bool as_type) {
  if (base == NULL || !take(p, 'I')) return base;
  if (base->kind != LCU_TYPE_NAMED) return stop(p, "template arguments after a type");
  const lcu_type *args = parse_pack(p, "template arguments");
  if (args == NULL) return NULL;
  if (!as_type) p->template_args = args;
  return instance_name(p, base, args);
}

/* N ... E: every proper prefix becomes a substitution; the caller that uses the whole as a type
 * adds it. */
static const lcu_type *parse_nested (parser *p, bool as_type) {
  const lcu_type *t = NULL;
  while (*p->at == 'r' || *p->at == 'V' || *p->at == 'K') p->at++;
  while (*p->at == 'R' || *p->at == 'O') p->at++;
  while (!take(p, 'E')) {
    bool fresh = true;
    if (*p->at == 'S') {
      p->at++;
      fresh = false;
      if (t != NULL) return stop(p, "substitution inside a nested name");
      t = parse_substitution(p);
    } else if (*p->at == 'I') t = with_args(p, t, as_type);
    else if (*p->at == 'T') t = parse_template_param(p);
    else t = parse_component(p, t);
    if (t == NULL || t->kind != LCU_TYPE_NAMED) return stop(p, "nested name");
    if (fresh && *p->at != 'E' && remember(p, t) == NULL) return NULL;
  }
  return t != NULL ? t : stop(p, "empty nested name");
}

/* Z <encoding> E <entity> [_<discriminator>]: an entity inside a function. */
static const lcu_type *parse_local (parser *p, bool as_type) {
  lcu_encoding e;
  const lcu_type *outer_args = p->template_args;
  if (!parse_encoding(p, &e) || !take(p, 'E')) return stop(p, "local name");
  p->template_args = outer_args;
  if (take(p, 's')) return e.name;
  if (take(p, 'd')) {
    size_t index;
    if (!parse_index(p, 10, &index)) return stop(p, "local name");
  }
  const lcu_type *inner = parse_name(p, as_type);
  if (inner == NULL) return NULL;
  int64_t skip;
  if (*p->at == '_') {
    bool two = p->at[1] == '_';
    p->at += two ? 2 : 1;
    if (!parse_digits(p, &skip)) return stop(p, "local name");
    if (two) take(p, '_');
  }
  lcu_type *t = (lcu_type *)qualified_name(p, e.name, inner->text, strlen(inner->text));
  if (t == NULL) return NULL;
  t->internal = true;
  t->args = inner->args;
  t->num_args = inner->num_args;
  return t;
}

static const lcu_type *parse_plain_name (parser *p, bool as_type) {
  const lcu_type *t;
  bool fresh = true;
  if (*p->at == 'S' && p->at[1] == 't') {
    p->at += 2;
    t = parse_component(p, qualified_name(p, NULL, "std", 3));
  } else if (take(p, 'S')) {
    t = parse_substitution(p);
    fresh = false;
  } else t = parse_component(p, NULL);
  if (t != NULL && *p->at == 'I') {
    if (fresh && remember(p, t) == NULL) return NULL;
    t = with_args(p, t, as_type);
  }
  return t;
}

/* 5.1.4 <name>: always NAMED. as_type: the name itself may become a substitution; template names
 * before arguments always do. */
static const lcu_type *parse_name (parser *p, bool as_type) {
  const lcu_type *t;
  if (!enter(p)) return NULL;
  if (take(p, 'N')) t = parse_nested(p, as_type);
  else if (take(p, 'Z')) t = parse_local(p, as_type);
  else t = parse_plain_name(p, as_type);
  p->depth--;
  return t == NULL || t->kind == LCU_TYPE_NAMED ? t : stop(p, "name of an entity without one");
}


/* ---- types, 5.1.5 ---- */

typedef struct builtin {
  const char *code, *text;
} builtin;

static const builtin builtins[] = {
  /* 5.1.5.2 */
  { "v", "void" },
  { "w", "wchar_t" },
  { "b", "bool" },
  { "c", "char" },
  { "a", "signed char" },
  { "h", "unsigned char" },
  { "s", "short" },
  { "t", "unsigned short" },
  { "i", "int" },
  { "j", "unsigned int" },
  { "l", "long" },
  { "m", "unsigned long" },
  { "x", "long long" },
  { "y", "unsigned long long" },
  { "n", "__int128" },
  { "o", "unsigned __int128" },
  { "f", "float" },
  { "d", "double" },
  { "e", "long double" },
  { "g", "__float128" },
  { "z", "..." },
  { "Di", "char32_t" },
  { "Ds", "char16_t" },
  { "Du", "char8_t" },
  { "Dn", "std::nullptr_t" },
  { "Dh", "_Float16" },
  { "DF16_", "_Float16" },
  { "DF16b", "__bf16" },
  { "DF32_", "_Float32" },
  { "DF64_", "_Float64" },
};

static const lcu_type *parse_builtin (parser *p) {
  for (size_t i = 0; i < lcu_arraylen(builtins); i++) {
    size_t n = strlen(builtins[i].code);
    if (strncmp(p->at, builtins[i].code, n) != 0) continue;
    lcu_type *t = node(p, LCU_TYPE_BUILTIN);
    if (t == NULL) return NULL;
    p->at += n;
    t->code = builtins[i].code;
    t->text = builtins[i].text;
    return t;
  }
  return NULL;
}

static const lcu_type *parse_qualified (parser *p) {
  unsigned quals = 0;
  if (take(p, 'r')) quals |= LCU_QUAL_RESTRICT;
  if (take(p, 'V')) quals |= LCU_QUAL_VOLATILE;
  if (take(p, 'K')) quals |= LCU_QUAL_CONST;
  lcu_type *t = (lcu_type *)wrap(p, LCU_TYPE_QUALIFIED, parse_type(p));
  if (t != NULL) t->quals = quals;
  return remember(p, t);
}

/* A <extent> _ <type>, 5.1.5.5; Dv <extent> _ <type>. */
static const lcu_type *parse_array (parser *p, lcu_type_kind kind) {
  int64_t extent = -1;
  if (*p->at != '_' && !parse_digits(p, &extent)) return stop(p, "array extent");
  if (!take(p, '_')) return stop(p, "array extent");
  lcu_type *t = (lcu_type *)wrap(p, kind, parse_type(p));
  if (t != NULL) t->extent = extent;
  return remember(p, t);
}

static size_t add_param (parser *p, const lcu_type **args, size_t n, const lcu_type *t) {
  if (t == NULL) return 0;
  if (n == MAX_ARGS) {
    stop(p, "too many parameters");
    return 0;
  }
  args[n] = t;
  return n + 1;
}

/* Dp <pattern>: the pattern is read once for each element of the pack it names. */
static size_t expand_pack (parser *p, const lcu_type **args, size_t n) {
  const char *from = p->at;
  size_t subs = p->num_subs;
  p->pack_size = -1;
  if (parse_type(p) == NULL) return 0;
  const char *end = p->at;
  int64_t size = p->pack_size;
  if (size < 0) {
    stop(p, "pack expansion without a pack");
    return 0;
  }
  for (int64_t i = 0; i < size; i++) {
    p->at = from;
    p->num_subs = subs;
    p->pack_index = i;
    n = add_param(p, args, n, parse_type(p));
    p->pack_index = -1;
    if (n == 0) return 0;
  }
  p->at = end;
  return n;
}

/* Parameter types up to 'E' or the end; returns false on failure. */
static bool parse_params (parser *p, const lcu_type **args, size_t *num) {
  size_t n = 0;
  while (*p->at && *p->at != 'E' && *p->at != '.' && !(*p->at == 'R' && p->at[1] == 'E') &&
         !(*p->at == 'O' && p->at[1] == 'E')) {
    if (take2(p, "Dp")) n = expand_pack(p, args, n);
    else n = add_param(p, args, n, parse_type(p));
    if (p->wrong != NULL) return false;
  }
  if (n == 1 && args[0]->kind == LCU_TYPE_BUILTIN && args[0]->code[0] == 'v') n = 0;
  *num = n;
  return true;
}

/* F [Y] <result> <params> [R|O] E, 5.1.5.4. */
static const lcu_type *parse_function (parser *p) {
  const lcu_type *args[MAX_ARGS], *result;
  size_t n = 0;
  take(p, 'Y');
  result = parse_type(p);
  if (result == NULL || !parse_params(p, args, &n)) return NULL;
  if (*p->at == 'R' || *p->at == 'O') p->at++;
  if (!take(p, 'E')) return stop(p, "function type without an end");
  lcu_type *t = (lcu_type *)wrap(p, LCU_TYPE_FUNCTION, result);
  return t != NULL && set_args(p, t, args, n) ? remember(p, t) : NULL;
}

static const lcu_type *parse_member_pointer (parser *p) {
  const lcu_type *of = parse_type(p);
  lcu_type *t = of != NULL ? (lcu_type *)wrap(p, LCU_TYPE_MEMBER, parse_type(p)) : NULL;
  return t != NULL && set_args(p, t, &of, 1) ? remember(p, t) : NULL;
}

/* u <source-name> [<template-args>]: a vendor's builtin, which counts as a substitution. */
static const lcu_type *parse_vendor (parser *p) {
  const lcu_type *t = parse_source_name(p, NULL);
  return remember(p, with_args(p, t, true));
}

/* U <source-name> [<template-args>] <type>: a vendor's qualifier, which is ignored. */
static const lcu_type *parse_vendor_qualified (parser *p) {
  if (with_args(p, parse_source_name(p, NULL), true) == NULL) return NULL;
  return remember(p, parse_type(p));
}

static const lcu_type *parse_substituted (parser *p) {
  if (p->at[0] == 't') {
    p->at--;
    return remember(p, parse_name(p, true));
  }
  const lcu_type *t = parse_substitution(p);
  if (t == NULL || *p->at != 'I') return t;
  return remember(p, with_args(p, t, true));
}

static const lcu_type *parse_param_type (parser *p) {
  const lcu_type *t = parse_template_param(p);
  if (t == NULL || remember(p, t) == NULL || *p->at != 'I') return t;
  return remember(p, with_args(p, t, true));
}

/* Types that start with D, apart from the builtin ones. */
static const lcu_type *parse_d_type (parser *p) {
  if (take2(p, "Dv")) return parse_array(p, LCU_TYPE_VECTOR);
  if (take2(p, "Do")) return parse_type(p); /* noexcept function */
  const lcu_type *t = parse_builtin(p);
  return t != NULL ? t : stop(p, "type depends on an expression");
}

static const lcu_type *parse_type_here (parser *p) {
  switch (*p->at) {
    case 'P': p->at++; return remember(p, wrap(p, LCU_TYPE_POINTER, parse_type(p)));
    case 'R': p->at++; return remember(p, wrap(p, LCU_TYPE_REFERENCE, parse_type(p)));
    case 'O': p->at++; return remember(p, wrap(p, LCU_TYPE_RVALUE, parse_type(p)));
    case 'r':
    case 'V':
    case 'K': return parse_qualified(p);
    case 'A': p->at++; return parse_array(p, LCU_TYPE_ARRAY);
    case 'F': p->at++; return parse_function(p);
    case 'M': p->at++; return parse_member_pointer(p);
    case 'S': p->at++; return parse_substituted(p);
    case 'T': return parse_param_type(p);
    case 'D': return parse_d_type(p);
    case 'u': p->at++; return parse_vendor(p);
    case 'U':
      if (p->at[1] == 't' || p->at[1] == 'l') return remember(p, parse_name(p, true));
      p->at++;
      return parse_vendor_qualified(p);
    case 'N':
    case 'Z': return remember(p, parse_name(p, true));
    default: break;
  }
  if (isdigit((unsigned char)*p->at)) return remember(p, parse_name(p, true));
  const lcu_type *t = parse_builtin(p);
  return t != NULL ? t : stop(p, *p->at ? "unknown type" : "unfinished type");
}

static const lcu_type *parse_type (parser *p) {
  if (!enter(p)) return NULL;
  const lcu_type *t = parse_type_here(p);
  p->depth--;
  return t;
}


/* ---- whole names ---- */

/* 5.1.2 <encoding>. Only functions instantiated from templates have their result type in the
 * name. */
static bool parse_encoding (parser *p, lcu_encoding *out) {
  const lcu_type *params[MAX_ARGS];
  memset(out, 0, sizeof *out);
  p->template_args = NULL;
  out->name = parse_name(p, false);
  if (out->name == NULL) return false;
  if (!*p->at || *p->at == 'E' || *p->at == '.') return true;
  if (out->name->num_args > 0 && p->template_args != NULL && parse_type(p) == NULL) return false;
  if (!parse_params(p, params, &out->num_params)) return false;
  lcu_type *list = node(p, LCU_TYPE_PACK);
  if (list == NULL || !set_args(p, list, params, out->num_params)) return false;
  out->params = list->args;
  out->is_function = true;
  return true;
}

static void start (parser *p, lcu_arena *a, const char *mangled) {
  memset(p, 0, sizeof *p);
  p->arena = a;
  p->start = p->at = mangled;
  p->pack_index = p->pack_size = -1;
}

static lcu_status outcome (const parser *p, bool whole) {
  if (p->wrong == NULL && whole) return LCU_OK;
  return lcu_fail(LCU_E_SYNTAX, "cannot read the type '%s' at character %d: %s", p->start,
                  (int)(p->at - p->start) + 1, p->wrong != NULL ? p->wrong : "text after its end");
}

lcu_status lcu_demangle (lcu_arena *a, const char *mangled, lcu_encoding *out) {
  parser p;
  start(&p, a, mangled);
  if (!take2(&p, "_Z")) stop(&p, "not a C++ name");
  else parse_encoding(&p, out);
  return outcome(&p, *p.at == '\0' || *p.at == '.');
}

const lcu_type *lcu_type_bare (const lcu_type *t, unsigned *quals) {
  while (t->kind == LCU_TYPE_QUALIFIED) {
    if (quals != NULL) *quals |= t->quals;
    t = t->inner;
  }
  return t;
}
