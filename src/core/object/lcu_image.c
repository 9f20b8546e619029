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

/* ELF64 (System V ABI, chapter 4): every table and every section with contents must be inside the
 * file. */
static lcu_status check_elf (const unsigned char *e, size_t size) {
  const char *text = "damaged machine code: the ELF file is shorter than its headers state";
  if (size < 64 || e[4] != 2 || e[5] != 1)
    return lcu_fail(LCU_E_SYNTAX, "damaged machine code: not a 64-bit ELF file");
  uint64_t phoff = read_le(e + 32, 8), shoff = read_le(e + 40, 8);
  uint64_t phsize = read_le(e + 54, 2), phnum = read_le(e + 56, 2), shsize = read_le(e + 58, 2),
           shnum = read_le(e + 60, 2);
  if (!inside(phoff, phsize * phnum, size) || !inside(shoff, shsize * shnum, size))
    return lcu_fail(LCU_E_SYNTAX, "%s", text);
  if (shnum > 0 && shsize < 64)
    return lcu_fail(LCU_E_SYNTAX, "damaged machine code: invalid section table");
  for (uint64_t i = 0; i < shnum; i++) {
    const unsigned char *s = e + shoff + i * shsize;
    bool no_bits = read_le(s + 4, 4) == 8;
    if (!no_bits && !inside(read_le(s + 24, 8), read_le(s + 32, 8), size))
      return lcu_fail(LCU_E_SYNTAX, "%s", text);
  }
  return LCU_OK;
}

static lcu_status check_fatbin (const unsigned char *f, size_t size) {
  if (size < 16 || !inside(read_le(f + 6, 2), read_le(f + 8, 8), size))
    return lcu_fail(LCU_E_SYNTAX, "damaged fat binary: shorter than its header states");
  return LCU_OK;
}

lcu_status lcu_image_check (const void *image, size_t size) {
  switch (lcu_image_kind_of(image, size)) {
    case LCU_IMAGE_ELF: return check_elf(image, size);
    case LCU_IMAGE_FATBIN: return check_fatbin(image, size);
    case LCU_IMAGE_PTX:
      if (memchr(image, '\0', size) != NULL)
        return lcu_fail(LCU_E_SYNTAX, "the PTX text contains a zero byte");
      return LCU_OK;
    default: return lcu_fail(LCU_E_SYNTAX, "not PTX, a cubin or a fat binary");
  }
}
