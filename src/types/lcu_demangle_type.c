/* lcu_demangle_type.c: types, section 5.1.5 of the Itanium C++ ABI. */
#include <ctype.h>
#include <string.h>

#include "lcu_parser.h"

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

static const lcu_type *parse_builtin (lcu_parser *p) {
  for (size_t i = 0; i < lcu_arraylen(builtins); i++) {
    size_t n = strlen(builtins[i].code);
    if (strncmp(p->at, builtins[i].code, n) != 0) continue;
    lcu_type *t = lcu_parser_node(p, LCU_TYPE_BUILTIN);
    if (t == NULL) return NULL;
    p->at += n;
    t->code = builtins[i].code;
    t->text = builtins[i].text;
    return t;
  }
  return NULL;
}

static const lcu_type *parse_qualified (lcu_parser *p) {
  unsigned quals = 0;
  if (lcu_parser_take(p, 'r')) quals |= LCU_QUAL_RESTRICT;
  if (lcu_parser_take(p, 'V')) quals |= LCU_QUAL_VOLATILE;
  if (lcu_parser_take(p, 'K')) quals |= LCU_QUAL_CONST;
  lcu_type *t = (lcu_type *)lcu_parser_wrap(p, LCU_TYPE_QUALIFIED, lcu_demangle_type(p));
  if (t != NULL) t->quals = quals;
  return lcu_parser_remember(p, t);
}

/* A <extent> _ <type>, 5.1.5.5; Dv <extent> _ <type>. */
static const lcu_type *parse_array (lcu_parser *p, lcu_type_kind kind) {
  int64_t extent = -1;
  if (*p->at != '_' && !lcu_parser_digits(p, &extent)) return lcu_parser_stop(p, "array extent");
  if (!lcu_parser_take(p, '_')) return lcu_parser_stop(p, "array extent");
  lcu_type *t = (lcu_type *)lcu_parser_wrap(p, kind, lcu_demangle_type(p));
  if (t != NULL) t->extent = extent;
  return lcu_parser_remember(p, t);
}

static size_t add_param (lcu_parser *p, const lcu_type **args, size_t n, const lcu_type *t) {
  if (t == NULL) return 0;
  if (n == LCU_PARSER_ARGS) {
    lcu_parser_stop(p, "too many parameters");
    return 0;
  }
  args[n] = t;
  return n + 1;
}

/* Dp <pattern>: the pattern is read once for each element of the pack it names. */
static size_t expand_pack (lcu_parser *p, const lcu_type **args, size_t n) {
  const char *from = p->at;
  size_t subs = p->num_subs;
  p->pack_size = -1;
  if (lcu_demangle_type(p) == NULL) return 0;
  const char *end = p->at;
  int64_t size = p->pack_size;
  if (size < 0) {
    lcu_parser_stop(p, "pack expansion without a pack");
    return 0;
  }
  for (int64_t i = 0; i < size; i++) {
    p->at = from;
    p->num_subs = subs;
    p->pack_index = i;
    n = add_param(p, args, n, lcu_demangle_type(p));
    p->pack_index = -1;
    if (n == 0) return 0;
  }
  p->at = end;
  return n;
}

bool lcu_demangle_params (lcu_parser *p, const lcu_type **args, size_t *num) {
  size_t n = 0;
  while (*p->at && *p->at != 'E' && *p->at != '.' && !(*p->at == 'R' && p->at[1] == 'E') &&
         !(*p->at == 'O' && p->at[1] == 'E')) {
    if (lcu_parser_take2(p, "Dp")) n = expand_pack(p, args, n);
    else n = add_param(p, args, n, lcu_demangle_type(p));
    if (p->wrong != NULL) return false;
  }
  if (n == 1 && args[0]->kind == LCU_TYPE_BUILTIN && args[0]->code[0] == 'v') n = 0;
  *num = n;
  return true;
}

/* F [Y] <result> <params> [R|O] E, 5.1.5.4. */
static const lcu_type *parse_function (lcu_parser *p) {
  const lcu_type *args[LCU_PARSER_ARGS], *result;
  size_t n = 0;
  lcu_parser_take(p, 'Y');
  result = lcu_demangle_type(p);
  if (result == NULL || !lcu_demangle_params(p, args, &n)) return NULL;
  if (*p->at == 'R' || *p->at == 'O') p->at++;
  if (!lcu_parser_take(p, 'E')) return lcu_parser_stop(p, "function type without an end");
  lcu_type *t = (lcu_type *)lcu_parser_wrap(p, LCU_TYPE_FUNCTION, result);
  return t != NULL && lcu_parser_set_args(p, t, args, n) ? lcu_parser_remember(p, t) : NULL;
}

static const lcu_type *parse_member_pointer (lcu_parser *p) {
  const lcu_type *of = lcu_demangle_type(p);
  lcu_type *t =
    of != NULL ? (lcu_type *)lcu_parser_wrap(p, LCU_TYPE_MEMBER, lcu_demangle_type(p)) : NULL;
  return t != NULL && lcu_parser_set_args(p, t, &of, 1) ? lcu_parser_remember(p, t) : NULL;
}

/* u <source-name> [<template-args>]: a vendor's builtin, which counts as a substitution. */
static const lcu_type *parse_vendor (lcu_parser *p) {
  const lcu_type *t = lcu_demangle_source_name(p, NULL);
  return lcu_parser_remember(p, lcu_demangle_args(p, t, true));
}

/* U <source-name> [<template-args>] <type>: a vendor's qualifier, which is ignored. */
static const lcu_type *parse_vendor_qualified (lcu_parser *p) {
  if (lcu_demangle_args(p, lcu_demangle_source_name(p, NULL), true) == NULL) return NULL;
  return lcu_parser_remember(p, lcu_demangle_type(p));
}

static const lcu_type *parse_substituted (lcu_parser *p) {
  if (p->at[0] == 't') {
    p->at--;
    return lcu_parser_remember(p, lcu_demangle_name(p, true));
  }
  const lcu_type *t = lcu_demangle_substitution(p);
  if (t == NULL || *p->at != 'I') return t;
  return lcu_parser_remember(p, lcu_demangle_args(p, t, true));
}

static const lcu_type *parse_param_type (lcu_parser *p) {
  const lcu_type *t = lcu_demangle_template_param(p);
  if (t == NULL || lcu_parser_remember(p, t) == NULL || *p->at != 'I') return t;
  return lcu_parser_remember(p, lcu_demangle_args(p, t, true));
}

/* Types that start with D, apart from the builtin ones. */
static const lcu_type *parse_d_type (lcu_parser *p) {
  if (lcu_parser_take2(p, "Dv")) return parse_array(p, LCU_TYPE_VECTOR);
  if (lcu_parser_take2(p, "Do")) return lcu_demangle_type(p); /* noexcept function */
  const lcu_type *t = parse_builtin(p);
  return t != NULL ? t : lcu_parser_stop(p, "type depends on an expression");
}

static const lcu_type *parse_type_here (lcu_parser *p) {
  switch (*p->at) {
    case 'P':
      p->at++;
      return lcu_parser_remember(p, lcu_parser_wrap(p, LCU_TYPE_POINTER, lcu_demangle_type(p)));
    case 'R':
      p->at++;
      return lcu_parser_remember(p, lcu_parser_wrap(p, LCU_TYPE_REFERENCE, lcu_demangle_type(p)));
    case 'O':
      p->at++;
      return lcu_parser_remember(p, lcu_parser_wrap(p, LCU_TYPE_RVALUE, lcu_demangle_type(p)));
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
      if (p->at[1] == 't' || p->at[1] == 'l')
        return lcu_parser_remember(p, lcu_demangle_name(p, true));
      p->at++;
      return parse_vendor_qualified(p);
    case 'N':
    case 'Z': return lcu_parser_remember(p, lcu_demangle_name(p, true));
    default: break;
  }
  if (isdigit((unsigned char)*p->at)) return lcu_parser_remember(p, lcu_demangle_name(p, true));
  const lcu_type *t = parse_builtin(p);
  return t != NULL ? t : lcu_parser_stop(p, *p->at ? "unknown type" : "unfinished type");
}

const lcu_type *lcu_demangle_type (lcu_parser *p) {
  if (!lcu_parser_enter(p)) return NULL;
  const lcu_type *t = parse_type_here(p);
  p->depth--;
  return t;
}
