/* ptx_loc.c: debug information: .file, .loc and the strings of .section .debug_str (PTX ISA,
 * "Debugging Directives"). */
#include <stdlib.h>
#include <string.h>

#include "ptx_parse.h"

enum { MAX_FILES = 1 << 16, MAX_CHAIN = 16 };

/* `older`: index of the previous location with the same file, line and column. */
typedef struct loc_entry {
  ptx_loc loc;
  ptx_name *label;
  uint64_t label_offset;
  uint32_t older;
} loc_entry;
typedef struct string_label {
  ptx_name *name;
  size_t offset;
} string_label;

struct ptx_debug {
  lcu_buf entries; /* loc_entry; [0] is "nowhere" */
  /* hash of file, line, column -> newest index; collisions share a slot */
  uint32_t *latest, num_slots;
  lcu_buf files; /* const char * */
  /* where those of the current module begin */
  uint32_t first_file, first_entry;
  lcu_buf strings; /* bytes of .debug_str */
  lcu_buf labels;  /* string_label */
};

enum { SLOTS = 1 << 14 };

static void no_memory (ptx_parser *p) { ptx_parse_alloc(p, SIZE_MAX); }

static struct ptx_debug *debug_of (ptx_parser *p) {
  if (p->debug != NULL) return p->debug;
  struct ptx_debug *d = lcu_calloc(1, sizeof *d);
  uint32_t *latest = lcu_calloc(SLOTS, sizeof *latest);
  loc_entry nowhere = { 0 };
  if (d == NULL || latest == NULL) {
    lcu_free(d);
    lcu_free(latest);
    no_memory(p);
    return NULL;
  }
  d->latest = latest;
  d->num_slots = SLOTS;
  p->debug = d;
  lcu_buf_add(&d->entries, &nowhere, sizeof nowhere);
  return d;
}

static loc_entry *entry_at (const struct ptx_debug *d, uint32_t i) {
  return (loc_entry *)(void *)d->entries.data + i;
}

static uint32_t num_entries (const struct ptx_debug *d) {
  return (uint32_t)(d->entries.len / sizeof(loc_entry));
}

/* The index of the next location. */
uint32_t ptx_loc_count (const ptx_parser *p) {
  return p->debug != NULL ? num_entries(p->debug) : 1;
}

static uint32_t *slot_of (const struct ptx_debug *d, const ptx_loc *l) {
  uint32_t h = (l->line * 2654435761u) ^ (l->column * 40503u) ^ (l->file * 97u);
  return &d->latest[(h ^ (h >> 15)) & (d->num_slots - 1)];
}

static bool same_place (const ptx_loc *a, const ptx_loc *b) {
  return a->file == b->file && a->line == b->line && a->column == b->column;
}

/* The newest location of this function at the same place, whatever it was inlined into; 0 when
 * there is none. */
static uint32_t find_place (const ptx_parser *p, const ptx_loc *place) {
  const struct ptx_debug *d = p->debug;
  uint32_t i = *slot_of(d, place);
  for (int n = 0; n < MAX_CHAIN && i >= p->loc_floor && i != 0; n++, i = entry_at(d, i)->older)
    if (same_place(&entry_at(d, i)->loc, place)) return i;
  return 0;
}

static bool same_entry (const loc_entry *a, const loc_entry *b) {
  return same_place(&a->loc, &b->loc) && a->loc.inlined_at == b->loc.inlined_at &&
         a->label == b->label && a->label_offset == b->label_offset;
}

static uint32_t add_entry (ptx_parser *p, loc_entry e) {
  struct ptx_debug *d = p->debug;
  uint32_t *slot = slot_of(d, &e.loc), i = *slot;
  for (int n = 0; n < MAX_CHAIN && i >= p->loc_floor && i != 0; n++, i = entry_at(d, i)->older)
    if (same_entry(entry_at(d, i), &e)) return i;
  e.older = *slot;
  lcu_buf_add(&d->entries, &e, sizeof e);
  if (d->entries.failed) {
    no_memory(p);
    return 0;
  }
  return *slot = num_entries(d) - 1;
}

static ptx_loc parse_place (ptx_parser *p) {
  ptx_loc l = { 0 };
  l.file = p->debug->first_file + (uint32_t)ptx_expect_uint(p, "a file index");
  l.line = (uint32_t)ptx_expect_uint(p, "a line");
  l.column = (uint32_t)ptx_expect_uint(p, "a column");
  return l;
}

static bool accept_word (ptx_parser *p, const char *word) {
  if (p->tok.kind != PTX_T_NAME || p->tok.len != strlen(word) ||
      memcmp(p->tok.text, word, p->tok.len) != 0)
    return false;
  ptx_next(p);
  return true;
}

static void parse_loc_option (ptx_parser *p, loc_entry *e) {
  if (accept_word(p, "function_name")) {
    e->label = ptx_expect_name(p, "a label of .debug_str");
    if (ptx_accept(p, '+')) e->label_offset = ptx_expect_uint(p, "an offset");
  } else if (accept_word(p, "inlined_at")) {
    ptx_loc outer = parse_place(p);
    if (p->status != LCU_OK) return;
    e->loc.inlined_at = find_place(p, &outer);
    if (e->loc.inlined_at == 0) e->loc.inlined_at = add_entry(p, (loc_entry){ .loc = outer });
  } else ptx_parse_fail_near(p, "expected function_name or inlined_at");
}

/* Line 0 marks code that the compiler moved: it keeps the previous position. */
void ptx_parse_loc (ptx_parser *p) {
  loc_entry e = { 0 };
  if (debug_of(p) == NULL) return;
  e.loc = parse_place(p);
  while (ptx_accept(p, ',')) parse_loc_option(p, &e);
  if (p->status != LCU_OK || (e.loc.line == 0 && p->loc != 0)) return;
  uint32_t i = add_entry(p, e);
  p->loc = i;
}

/* .file 1 "name" [, timestamp, size] */
void ptx_parse_file (ptx_parser *p) {
  uint64_t index = ptx_expect_uint(p, "a file index");
  struct ptx_debug *d = debug_of(p);
  if (d == NULL) return;
  index += index < MAX_FILES ? d->first_file : 0;
  if (index >= MAX_FILES) ptx_parse_fail(p, p->tok.line, "file index is too large");
  if (p->tok.kind != PTX_T_STRING) ptx_parse_fail_near(p, "expected a file name");
  if (p->status != LCU_OK) return;
  const char *name = lcu_arena_strndup(&p->ast->arena, p->tok.text, p->tok.len), *none = NULL;
  while (d->files.len <= index * sizeof name && !d->files.failed)
    lcu_buf_add(&d->files, &none, sizeof none);
  if (name == NULL || d->files.failed) no_memory(p);
  else memcpy(d->files.data + index * sizeof name, &name, sizeof name);
  ptx_next(p);
  while (ptx_accept(p, ',')) ptx_expect_uint(p, "a number");
}

static void add_string_bytes (ptx_parser *p, struct ptx_debug *d) {
  do {
    char byte = (char)ptx_parse_int(p, "a byte");
    lcu_buf_add(&d->strings, &byte, 1);
  } while (ptx_accept(p, ','));
  ptx_accept(p, ';');
}

static void parse_debug_str (ptx_parser *p) {
  struct ptx_debug *d = debug_of(p);
  if (d == NULL || !ptx_expect(p, '{')) return;
  while (p->tok.kind != PTX_T_END && !ptx_at(p, '}')) {
    if (ptx_accept_dot(p, "b8")) add_string_bytes(p, d);
    else {
      string_label l = { ptx_expect_name(p, "a label"), d->strings.len };
      ptx_expect(p, ':');
      lcu_buf_add(&d->labels, &l, sizeof l);
    }
  }
  ptx_expect(p, '}');
}

/* .section .name { ... } */
void ptx_parse_section (ptx_parser *p) {
  bool strings = ptx_at_dot(p, "debug_str");
  if (p->tok.kind == PTX_T_STRING) ptx_next(p);
  while (p->tok.kind == PTX_T_DOT || p->tok.kind == PTX_T_NAME) ptx_next(p);
  if (strings) parse_debug_str(p);
  else if (ptx_at(p, '{')) ptx_skip_braces(p);
  else ptx_parse_fail_near(p, "expected '{'");
}

static int compare_labels (const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const string_label *)a)->name,
            y = (uintptr_t)((const string_label *)b)->name;
  return x < y ? -1 : x > y;
}

static const char *string_at (const struct ptx_debug *d, const loc_entry *e) {
  string_label key = { e->label, 0 };
  if (e->label == NULL || d->labels.len == 0) return NULL;
  const string_label *l =
    bsearch(&key, d->labels.data, d->labels.len / sizeof key, sizeof key, compare_labels);
  if (l == NULL || e->label_offset >= d->strings.len - l->offset) return NULL;
  return d->strings.data + l->offset + e->label_offset;
}

static void name_functions (ptx_parser *p, const struct ptx_debug *d) {
  for (uint32_t i = d->first_entry; i < num_entries(d); i++) {
    const char *function = string_at(d, entry_at(d, i));
    if (function == NULL) continue;
    ptx_name *name = ptx_name_intern(p, function, strlen(function));
    entry_at(d, i)->loc.function = name != NULL ? name->text : NULL;
  }
}

void ptx_debug_end_module (ptx_parser *p) {
  struct ptx_debug *d = p->debug;
  if (d == NULL || p->status != LCU_OK) return;
  if (d->entries.failed || d->files.failed || d->strings.failed || d->labels.failed) no_memory(p);
  if (p->status != LCU_OK) return;
  if (d->labels.len != 0)
    qsort(d->labels.data, d->labels.len / sizeof(string_label), sizeof(string_label),
          compare_labels);
  name_functions(p, d);
  d->labels.len = d->strings.len = 0;
  d->first_entry = num_entries(d);
  d->first_file = (uint32_t)(d->files.len / sizeof(char *));
}

static void copy_locs (ptx_parser *p, const struct ptx_debug *d) {
  uint32_t n = num_entries(d);
  struct ptx_module_ast *ast = p->ast;
  ast->locs = ptx_parse_alloc(p, n * sizeof *ast->locs);
  if (ast->locs == NULL) return;
  ast->num_locs = n;
  for (uint32_t i = 0; i < n; i++) ast->locs[i] = entry_at(d, i)->loc;
}

void ptx_debug_finish (ptx_parser *p) {
  struct ptx_debug *d = p->debug;
  if (d == NULL || p->status != LCU_OK) return;
  copy_locs(p, d);
  if (p->status != LCU_OK) return;
  p->ast->files = ptx_parse_alloc(p, d->files.len);
  if (p->ast->files == NULL || d->files.len == 0) return;
  memcpy(p->ast->files, d->files.data, d->files.len);
  p->ast->num_files = (uint32_t)(d->files.len / sizeof(char *));
}

void ptx_debug_free (ptx_parser *p) {
  struct ptx_debug *d = p->debug;
  if (d == NULL) return;
  lcu_buf_free(&d->entries);
  lcu_buf_free(&d->files);
  lcu_buf_free(&d->strings);
  lcu_buf_free(&d->labels);
  lcu_free(d->latest);
  lcu_free(d);
  p->debug = NULL;
}

const char *ptx_loc_file (const struct ptx_module_ast *ast, uint32_t loc) {
  if (loc == 0 || loc >= ast->num_locs || ast->locs[loc].file >= ast->num_files) return NULL;
  return ast->files[ast->locs[loc].file];
}

/* `#line 1 "luacuda"`. Compilers prepend the working directory. */
bool ptx_file_generated (const char *file) {
  const char *slash = strrchr(file, '/');
  return strcmp(slash != NULL ? slash + 1 : file, "luacuda") == 0;
}

static bool is_generated (const struct ptx_module_ast *ast, uint32_t loc) {
  const char *file = ptx_loc_file(ast, loc);
  return file != NULL && ptx_file_generated(file);
}

/* A text in a script, such as a Lua function: `#line 1 "/luacuda/78e2d82d4f42e16a.cu"`. */
static bool is_script (const struct ptx_module_ast *ast, uint32_t loc) {
  static const char folder[] = "/luacuda/", end[] = ".cu";
  const char *file = ptx_loc_file(ast, loc);
  if (file == NULL || strncmp(file, folder, sizeof folder - 1) != 0) return false;
  const char *digits = file + sizeof folder - 1;
  return strspn(digits, "0123456789abcdef") == 16 && strcmp(digits + 16, end) == 0;
}

/* The innermost position that is in the file of the outermost one. */
static uint32_t in_outer_file (const struct ptx_module_ast *ast, uint32_t loc) {
  uint32_t outer = loc, at = loc;
  for (uint32_t i = loc; i != 0; i = ast->locs[i].inlined_at)
    if (!is_generated(ast, i) || is_generated(ast, outer)) outer = i;
  while (ast->locs[at].file != ast->locs[outer].file) at = ast->locs[at].inlined_at;
  return at;
}

/* The position that is shown to users; 0: unknown. */
static uint32_t shown (const struct ptx_module_ast *ast, uint32_t loc) {
  uint32_t at = loc;
  if (loc == 0 || loc >= ast->num_locs) return 0;
  while (at != 0 && !is_script(ast, at)) at = ast->locs[at].inlined_at;
  if (at == 0) at = in_outer_file(ast, loc);
  return ast->locs[at].line != 0 && ptx_loc_file(ast, at) != NULL ? at : 0;
}

bool ptx_loc_user (const struct ptx_module_ast *ast, uint32_t loc, const char **file,
                   uint32_t *line) {
  uint32_t at = shown(ast, loc);
  if (at == 0) return false;
  *file = ast->files[ast->locs[at].file];
  *line = ast->locs[at].line;
  return true;
}

uint32_t ptx_loc_caller (const struct ptx_module_ast *ast, uint32_t loc) {
  uint32_t at = shown(ast, loc);
  if (at == 0) return 0;
  do at = ast->locs[at].inlined_at;
  while (at != 0 && is_generated(ast, at));
  return at;
}

const char *ptx_loc_inlined (const struct ptx_module_ast *ast, uint32_t loc, uint32_t *depth) {
  uint32_t at = shown(ast, loc);
  *depth = 0;
  for (uint32_t i = loc; (i = ptx_loc_caller(ast, i)) != 0;) ++*depth;
  return at != 0 ? ast->locs[at].function : NULL;
}
