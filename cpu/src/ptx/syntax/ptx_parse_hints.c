/* ptx_parse_hints.c: the directives between the head of a function and its body (PTX ISA,
 * "Performance-Tuning Directives", "Cluster Dimension Directives"). */
#include "ptx_parse.h"

enum { CLUSTERS = 90 /* the first target with clusters */ };

/* One number, or up to three for x, y, z. `least`: the minimum of each. */
static void parse_extent (ptx_parser *p, const char *name, uint64_t least, uint32_t extent[3]) {
  int n = 0;
  extent[0] = extent[1] = extent[2] = 1;
  do {
    uint64_t v = ptx_expect_uint(p, "a number");
    if (n == 3 || v > UINT32_MAX) ptx_parse_fail(p, p->tok.line, "malformed .%s", name);
    else if (v < least) ptx_parse_fail(p, p->tok.line, ".%s must be positive", name);
    else extent[n++] = (uint32_t)v;
  } while (ptx_accept(p, ','));
}

static void maxntid (ptx_parser *p, ptx_function *f) { parse_extent(p, "maxntid", 1, f->maxntid); }
static void reqntid (ptx_parser *p, ptx_function *f) { parse_extent(p, "reqntid", 1, f->reqntid); }
static void reqnctapercluster (ptx_parser *p, ptx_function *f) {
  parse_extent(p, "reqnctapercluster", 0, f->reqcluster);
}
static void explicitcluster (ptx_parser *p, ptx_function *f) {
  (void)p;
  f->explicit_cluster = true;
}
static void blocksareclusters (ptx_parser *p, ptx_function *f) {
  (void)p;
  f->blocks_are_clusters = true;
}
static void noreturn (ptx_parser *p, ptx_function *f) {
  (void)p;
  f->noreturn = true;
}
static void maxclusterrank (ptx_parser *p, ptx_function *f) {
  ptx_expect_uint(p, "a number");
  f->max_cluster = true;
}

/* A number that has no effect here. */
static void count (ptx_parser *p, ptx_function *f) {
  uint32_t line = p->tok.line;
  (void)f;
  if (ptx_expect_uint(p, "a number") == 0) ptx_parse_fail(p, line, "this must be positive");
}
static void number (ptx_parser *p, ptx_function *f) {
  (void)f;
  ptx_expect_uint(p, "a number");
}
static void pragma (ptx_parser *p, ptx_function *f) {
  (void)f;
  ptx_skip_statement(p);
}

/* .attribute(.unified(1, 2)) */
static void attribute (ptx_parser *p, ptx_function *f) {
  uint32_t open = 0;
  (void)f;
  do {
    if (ptx_at(p, '(')) open++;
    if (ptx_at(p, ')')) open--;
    ptx_next(p);
  } while (open > 0 && p->tok.kind != PTX_T_END);
}

typedef struct hint {
  const char *name;
  enum { OF_KERNELS = 1, OF_FUNCTIONS = 2, OF_ALL = 3 } of;
  int target, version; /* the first that have it */
  void (*parse)(ptx_parser *p, ptx_function *f);
} hint;

static const hint hints[] = {
  { "maxntid", OF_KERNELS, 0, 0, maxntid },
  { "reqntid", OF_KERNELS, 0, 0, reqntid },
  { "minnctapersm", OF_KERNELS, 0, 0, count },
  { "maxnreg", OF_KERNELS, 0, 0, count },
  { "reqnctapercluster", OF_KERNELS, CLUSTERS, 78, reqnctapercluster },
  { "explicitcluster", OF_KERNELS, CLUSTERS, 78, explicitcluster },
  { "maxclusterrank", OF_KERNELS, CLUSTERS, 78, maxclusterrank },
  { "blocksareclusters", OF_KERNELS, CLUSTERS, 90, blocksareclusters },
  { "local_maxnreg", OF_ALL, 0, 88, count },
  { "pragma", OF_ALL, 0, 0, pragma },
  { "noreturn", OF_FUNCTIONS, 0, 64, noreturn },
  { "attribute", OF_FUNCTIONS, 0, 0, attribute },
  { "abi_preserve", OF_FUNCTIONS, 80, 90, number },
  { "abi_preserve_control", OF_FUNCTIONS, 80, 90, number },
};

static const hint *accept_hint (ptx_parser *p, const ptx_function *f) {
  for (size_t i = 0; i < lcu_arraylen(hints); i++)
    if ((hints[i].of & (f->is_entry ? OF_KERNELS : OF_FUNCTIONS)) != 0 &&
        ptx_accept_dot(p, hints[i].name))
      return &hints[i];
  return NULL;
}

static void check_since (ptx_parser *p, const hint *h) {
  if (p->version < h->version)
    ptx_parse_fail(p, p->tok.line, ".%s needs .version %d.%d or later", h->name, h->version / 10,
                   h->version % 10);
  if (p->target < h->target)
    ptx_parse_fail(p, p->tok.line, ".%s needs .target sm_%d or later", h->name, h->target);
}

/* What a later version of PTX added. */
static void skip_hint (ptx_parser *p) {
  if (p->version <= PTX_KNOWN_VERSION) ptx_parse_fail_near(p, "expected '{' or a directive");
  ptx_next(p);
  while (p->tok.kind == PTX_T_INT || ptx_at(p, ',')) ptx_next(p);
}

static void check_hints (ptx_parser *p, const ptx_function *f) {
  bool clusters = f->reqcluster[0] != 0;
  if (f->maxntid[0] != 0 && f->reqntid[0] != 0)
    ptx_parse_fail(p, p->tok.line, ".maxntid and .reqntid exclude each other");
  if (clusters && f->max_cluster)
    ptx_parse_fail(p, p->tok.line, ".reqnctapercluster and .maxclusterrank exclude each other");
  if (f->blocks_are_clusters && !(clusters && f->reqntid[0] != 0))
    ptx_parse_fail(p, p->tok.line, ".blocksareclusters needs .reqntid and .reqnctapercluster");
}

void ptx_parse_hints (ptx_parser *p, ptx_function *f) {
  while (p->tok.kind == PTX_T_DOT) {
    const hint *h = accept_hint(p, f);
    if (h == NULL) skip_hint(p);
    else {
      check_since(p, h);
      h->parse(p, f);
    }
  }
  check_hints(p, f);
}
