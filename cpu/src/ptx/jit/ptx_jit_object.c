/* ptx_jit_object.c: loads relocatable objects: sections one after the other in one mapping, behind
 * them a stub for every function of the host that is called. The bytes are not trusted: every
 * offset is checked. */
#if defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE /* MAP_ANONYMOUS */
#elif defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif
#include "ptx_jit_object.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "ptx_jit_elf.h"
#include "ptx_jit_kept.h"
#include "ptx_jit_relocate.h"

enum { MOST_BYTES = 64 << 20, MOST_ALIGN = 4096 };

typedef struct loader {
  const uint8_t *data;
  size_t len;
  elf_header header;
  const char *names; /* of symbols, ended by a 0 */
  size_t names_len;
  elf_section symbols;
  uint64_t *places; /* of each section in memory; UINT64_MAX: not there */
  uint8_t *memory;
  size_t bytes, stubs; /* `stubs`: where they begin */
  uint32_t num_symbols;
} loader;

/* ---- functions of the host that LLVM may call */

typedef void (*host_function)(void);

static const struct {
  const char *name;
  host_function fn;
} host_functions[] = {
#define HOST(name) { #name, (host_function)name }
  HOST(memcpy), HOST(memmove), HOST(memset),    HOST(fma),        HOST(fmaf),
  HOST(floor),  HOST(floorf),  HOST(ceil),      HOST(ceilf),      HOST(trunc),
  HOST(truncf), HOST(rint),    HOST(rintf),     HOST(fmod),       HOST(fmodf),
  HOST(round),  HOST(roundf),  HOST(nearbyint), HOST(nearbyintf), HOST(ptx_jit_keep)
#undef HOST
};

static const void *host_address (const char *name) {
  const void *p = NULL;
  for (size_t i = 0; i < lcu_arraylen(host_functions); i++)
    if (strcmp(host_functions[i].name, name) == 0) memcpy(&p, &host_functions[i].fn, sizeof p);
  return p;
}

/* ---- reading */

static bool inside (const loader *l, uint64_t offset, uint64_t bytes) {
  return offset <= l->len && bytes <= l->len - offset;
}

static bool section (const loader *l, uint32_t i, elf_section *out) {
  if (i >= l->header.num_sections) return false;
  memcpy(out, l->data + l->header.sections + (size_t)i * sizeof *out, sizeof *out);
  return out->type == ELF_NOBITS || inside(l, out->offset, out->bytes);
}

static bool read_header (loader *l) {
  static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 2, 1 };
  elf_header *h = &l->header;
  if (l->len < sizeof *h) return false;
  memcpy(h, l->data, sizeof *h);
  return memcmp(h->ident, ident, sizeof ident) == 0 && h->type == ELF_RELOCATABLE &&
         h->machine == ptx_jit_machine() && h->section_bytes == sizeof(elf_section) &&
         inside(l, h->sections, (uint64_t)h->num_sections * sizeof(elf_section));
}

static bool read_symbols (loader *l) {
  elf_section s, names;
  uint32_t i = 0;
  while (i < l->header.num_sections && section(l, i, &s) && s.type != ELF_SYMBOLS) i++;
  if (i == l->header.num_sections || s.type != ELF_SYMBOLS || !section(l, s.link, &names))
    return false;
  l->symbols = s;
  l->num_symbols = (uint32_t)(s.bytes / sizeof(elf_symbol));
  l->names = (const char *)l->data + names.offset;
  l->names_len = (size_t)names.bytes;
  return names.type != ELF_NOBITS && l->names_len > 0 && l->names[l->names_len - 1] == '\0';
}

static bool symbol (const loader *l, uint32_t i, elf_symbol *out) {
  if (i >= l->num_symbols) return false;
  memcpy(out, l->data + l->symbols.offset + (size_t)i * sizeof *out, sizeof *out);
  return out->name < l->names_len;
}

/* ---- placing */

static bool place_sections (loader *l) {
  uint64_t at = 0;
  elf_section s;
  for (uint32_t i = 0; i < l->header.num_sections; i++) {
    if (!section(l, i, &s)) return false;
    l->places[i] = UINT64_MAX;
    if (!(s.flags & ELF_ALLOCATED)) continue;
    uint64_t align = s.align > 0 ? s.align : 1;
    if (align > MOST_ALIGN || (align & (align - 1)) != 0 || s.bytes > MOST_BYTES) return false;
    at = (at + align - 1) & ~(align - 1);
    l->places[i] = at;
    at += s.bytes;
    if (at > MOST_BYTES) return false;
  }
  at = (at + PTX_JIT_STUB_BYTES - 1) & ~(uint64_t)(PTX_JIT_STUB_BYTES - 1);
  l->stubs = (size_t)at;
  l->bytes = (size_t)at + (size_t)l->num_symbols * PTX_JIT_STUB_BYTES;
  return l->bytes <= MOST_BYTES;
}

static void copy_sections (const loader *l) {
  elf_section s;
  for (uint32_t i = 0; i < l->header.num_sections; i++)
    if (section(l, i, &s) && l->places[i] != UINT64_MAX && s.type != ELF_NOBITS && s.bytes > 0)
      memcpy(l->memory + l->places[i], l->data + s.offset, (size_t)s.bytes);
}

static bool has_place (const loader *l, const elf_symbol *s) {
  return s->section != ELF_UNDEFINED && s->section < l->header.num_sections &&
         l->places[s->section] != UINT64_MAX && s->value <= l->bytes - l->places[s->section];
}

/* ---- relocations */

/* Where a symbol is; a function of the host is reached through its stub. */
static bool address_of (const loader *l, uint32_t index, bool call, uint64_t *out) {
  elf_symbol s;
  if (!symbol(l, index, &s)) return false;
  if (s.section != ELF_UNDEFINED) {
    *out = (uint64_t)(uintptr_t)l->memory + (has_place(l, &s) ? l->places[s.section] + s.value : 0);
    return has_place(l, &s);
  }
  const void *target = call ? host_address(l->names + s.name) : NULL;
  uint8_t *stub = l->memory + l->stubs + (size_t)index * PTX_JIT_STUB_BYTES;
  if (target == NULL) return false;
  ptx_jit_stub(stub, target);
  *out = (uint64_t)(uintptr_t)stub;
  return true;
}

static bool relocate (const loader *l, const elf_section *target, uint64_t place,
                      const elf_rela *r) {
  uint32_t type = (uint32_t)r->info;
  uint64_t address = 0;
  size_t bytes = ptx_jit_relocation_bytes(type);
  if (bytes == 0 || r->offset > target->bytes || bytes > target->bytes - r->offset) return false;
  if (!address_of(l, (uint32_t)(r->info >> 32), ptx_jit_relocation_calls(type), &address))
    return false;
  return ptx_jit_relocate(type, l->memory + place + r->offset, address + (uint64_t)r->addend);
}

/* Relocations of sections that are not loaded do not matter. */
static bool relocate_section (const loader *l, const elf_section *s) {
  elf_section target;
  elf_rela r;
  if (s->type == ELF_REL || !section(l, s->info, &target)) return false;
  if (l->places[s->info] == UINT64_MAX) return true;
  for (uint64_t at = 0; s->bytes - at >= sizeof r; at += sizeof r) {
    memcpy(&r, l->data + s->offset + at, sizeof r);
    if (!relocate(l, &target, l->places[s->info], &r)) return false;
  }
  return true;
}

static bool relocate_all (const loader *l) {
  elf_section s;
  for (uint32_t i = 0; i < l->header.num_sections; i++)
    if (!section(l, i, &s) ||
        ((s.type == ELF_RELA || s.type == ELF_REL) && !relocate_section(l, &s)))
      return false;
  return true;
}

/* ---- the whole */

static bool find_entry (const loader *l, const char *name, ptx_jit_code *out) {
  elf_symbol s;
  for (uint32_t i = 0; i < l->num_symbols; i++)
    if (symbol(l, i, &s) && has_place(l, &s) && strcmp(l->names + s.name, name) == 0)
      out->entry = l->memory + l->places[s.section] + s.value;
  return out->entry != NULL;
}

static bool fill (loader *l) {
  copy_sections(l);
  if (!relocate_all(l)) return false;
  __builtin___clear_cache((char *)l->memory, (char *)l->memory + l->bytes);
  return mprotect(l->memory, l->bytes, PROT_READ | PROT_EXEC) == 0;
}

static lcu_status load (loader *l, const char *name, ptx_jit_code *out) {
  if (!place_sections(l)) return lcu_fail(LCU_E_SYNTAX, "compiled code is damaged");
  l->memory = mmap(NULL, l->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (l->memory == MAP_FAILED) return lcu_no_memory("compiled code");
  *out = (ptx_jit_code){ .memory = l->memory, .bytes = l->bytes };
  if (fill(l) && find_entry(l, name, out)) return LCU_OK;
  ptx_jit_object_free(out);
  return lcu_fail(LCU_E_SYNTAX, "compiled code is damaged, or cannot run here");
}

lcu_status ptx_jit_object_load (const void *data, size_t len, const char *name, ptx_jit_code *out) {
  loader l = { .data = data, .len = len };
  *out = (ptx_jit_code){ 0 };
  if (!read_header(&l) || !read_symbols(&l))
    return lcu_fail(LCU_E_SYNTAX, "compiled code is damaged");
  l.places = lcu_alloc(l.header.num_sections * sizeof *l.places);
  if (l.places == NULL) return lcu_no_memory("compiled code");
  lcu_status status = load(&l, name, out);
  lcu_free(l.places);
  return status;
}

void ptx_jit_object_free (ptx_jit_code *code) {
  if (code->memory != NULL) (void)munmap(code->memory, code->bytes);
  *code = (ptx_jit_code){ 0 };
}
