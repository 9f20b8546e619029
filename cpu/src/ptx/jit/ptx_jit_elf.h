/* ptx_jit_elf.h: the ELF format (System V ABI, chapter 4), as far as relocatable objects of 64 bits
 * need it, and relocations of x86-64 and AArch64 (their ELF supplements). Not all systems have a
 * header for it. */
#ifndef PTX_JIT_ELF_H
#define PTX_JIT_ELF_H

#include "lcu_base.h"

typedef struct elf_header {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, segments, sections;
  uint32_t flags;
  uint16_t bytes, segment_bytes, num_segments, section_bytes, num_sections, names;
} elf_header;

typedef struct elf_section {
  uint32_t name, type;
  uint64_t flags, address, offset, bytes;
  uint32_t link, info;
  uint64_t align, entry_bytes;
} elf_section;

typedef struct elf_symbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, bytes;
} elf_symbol;

typedef struct elf_rela {
  uint64_t offset, info;
  int64_t addend;
} elf_rela;

enum { ELF_RELOCATABLE = 1, ELF_X86_64 = 62, ELF_AARCH64 = 183 };
enum { ELF_SYMBOLS = 2, ELF_RELA = 4, ELF_NOBITS = 8, ELF_REL = 9 };
enum { ELF_ALLOCATED = 2 };
enum { ELF_UNDEFINED = 0, ELF_SPECIAL = 0xff00 }; /* section numbers from there are none */

enum { R_X86_64_64 = 1, R_X86_64_PC32 = 2, R_X86_64_PLT32 = 4, R_X86_64_PC64 = 24 };
enum {
  R_AARCH64_ABS64 = 257,
  R_AARCH64_PREL64 = 260,
  R_AARCH64_PREL32 = 261,
  R_AARCH64_ADR_PREL_PG_HI21 = 275,
  R_AARCH64_ADD_ABS_LO12_NC = 277,
  R_AARCH64_LDST8_ABS_LO12_NC = 278,
  R_AARCH64_JUMP26 = 282,
  R_AARCH64_CALL26 = 283,
  R_AARCH64_LDST16_ABS_LO12_NC = 284,
  R_AARCH64_LDST32_ABS_LO12_NC = 285,
  R_AARCH64_LDST64_ABS_LO12_NC = 286,
  R_AARCH64_LDST128_ABS_LO12_NC = 299
};

#endif
