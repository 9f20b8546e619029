/* lcu_image.c: recognizes PTX, cubins and fatbins, and rejects damaged ones, which drivers do not
 * check. */
#include "lcu_image.h"

#include <ctype.h>
#include <string.h>

#define FATBIN_MAGIC 0xBA55ED50u

static uint64_t read_le (const unsigned char *p, int bytes) {
  uint64_t v = 0;
  for (int i = bytes - 1; i >= 0; i--) v = v << 8 | p[i];
  return v;
}

/* PTX begins with ".version", after comments and blanks. */
static bool starts_as_ptx (const char *s, size_t n) {
  size_t i = 0;
  while (i < n) {
    if (isspace((unsigned char)s[i])) i++;
    else if (n - i > 1 && s[i] == '/' && s[i + 1] == '/')
      while (i < n && s[i] != '\n') i++;
    else if (n - i > 1 && s[i] == '/' && s[i + 1] == '*') {
      for (i += 2; i + 1 < n && !(s[i] == '*' && s[i + 1] == '/');) i++;
      i += 2;
    } else break;
  }
  return i < n && n - i >= 8 && memcmp(s + i, ".version", 8) == 0;
}

lcu_image_kind lcu_image_kind_of (const void *image, size_t size) {
  if (size >= 4 && memcmp(image, "\177ELF", 4) == 0) return LCU_IMAGE_ELF;
  if (size >= 4 && read_le(image, 4) == FATBIN_MAGIC) return LCU_IMAGE_FATBIN;
  return starts_as_ptx(image, size) ? LCU_IMAGE_PTX : LCU_IMAGE_NONE;
}

static bool inside (uint64_t offset, uint64_t length, size_t size) {
  return offset <= size && length <= size - offset;
}

#define TOO_SHORT "damaged machine code: the ELF file is shorter than its headers state"

/* A table of the ELF header: its offset in the file, the number and the size of its rows. */
typedef struct elf_table {
  uint64_t offset, count, size;
} elf_table;

/* `offset`, `size`: where the ELF header has them. The number is after the size. */
static elf_table read_table (const unsigned char *e, size_t offset, size_t size) {
  return (elf_table){ read_le(e + offset, 8), read_le(e + size + 2, 2), read_le(e + size, 2) };
}

/* The first section is empty by definition. Any other without a type was overwritten by zeros. */
static const char *section_fault (const unsigned char *s, bool first, size_t size) {
  enum { NONE = 0, NO_BITS = 8 };
  uint64_t type = read_le(s + 4, 4);
  if (type == NONE && !first) return "damaged machine code: a section has no type";
  if (type != NO_BITS && !inside(read_le(s + 24, 8), read_le(s + 32, 8), size)) return TOO_SHORT;
  return NULL;
}

static const char *sections_fault (const unsigned char *e, size_t size) {
  elf_table t = read_table(e, 40, 58);
  if (!inside(t.offset, t.size * t.count, size)) return TOO_SHORT;
  if (t.count == 0 || t.size < 64) return "damaged machine code: invalid section table";
  for (uint64_t i = 0; i < t.count; i++) {
    const char *fault = section_fault(e + t.offset + i * t.size, i == 0, size);
    if (fault != NULL) return fault;
  }
  return NULL;
}

static const char *segments_fault (const unsigned char *e, size_t size) {
  elf_table t = read_table(e, 32, 54);
  if (!inside(t.offset, t.size * t.count, size)) return TOO_SHORT;
  if (t.count > 0 && t.size < 56) return "damaged machine code: invalid segment table";
  for (uint64_t i = 0; i < t.count; i++) {
    const unsigned char *s = e + t.offset + i * t.size;
    if (read_le(s, 4) == 0) return "damaged machine code: a segment has no type";
    if (!inside(read_le(s + 8, 8), read_le(s + 32, 8), size)) return TOO_SHORT;
  }
  return NULL;
}

/* ELF64 (System V ABI, chapters 4 and 5): every table, section with contents and segment must be
 * inside the file. */
static const char *elf_fault (const unsigned char *e, size_t size) {
  if (size < 64 || e[4] != 2 || e[5] != 1) return "damaged machine code: not a 64-bit ELF file";
  const char *fault = sections_fault(e, size);
  return fault != NULL ? fault : segments_fault(e, size);
}

static const char *fatbin_fault (const unsigned char *f, size_t size) {
  bool whole = size >= 16 && inside(read_le(f + 6, 2), read_le(f + 8, 8), size);
  return whole ? NULL : "damaged fat binary: shorter than its header states";
}

/* One zero byte may end the text, as in C. */
static const char *ptx_fault (const char *text, size_t size) {
  return memchr(text, '\0', size - 1) == NULL
           ? NULL
           : "the PTX has a zero byte before its end: it is damaged or padded";
}

const char *lcu_image_fault (const void *image, size_t size) {
  switch (lcu_image_kind_of(image, size)) {
    case LCU_IMAGE_ELF: return elf_fault(image, size);
    case LCU_IMAGE_FATBIN: return fatbin_fault(image, size);
    case LCU_IMAGE_PTX: return ptx_fault(image, size);
    default: return "not PTX, a cubin or a fat binary";
  }
}

lcu_status lcu_image_check (const void *image, size_t size) {
  const char *fault = lcu_image_fault(image, size);
  return fault == NULL ? LCU_OK : lcu_fail(LCU_E_SYNTAX, "%s", fault);
}
