/* ptx_jit_relocate.c: addresses in machine code. */
#include "ptx_jit_relocate.h"

#include <string.h>

#include "ptx_jit_elf.h"

#if defined(__x86_64__)

uint16_t ptx_jit_machine (void) { return ELF_X86_64; }

size_t ptx_jit_relocation_bytes (uint32_t type) {
  switch (type) {
    case R_X86_64_64:
    case R_X86_64_PC64: return 8;
    case R_X86_64_PC32:
    case R_X86_64_PLT32: return 4;
    default: return 0;
  }
}

bool ptx_jit_relocation_calls (uint32_t type) { return type == R_X86_64_PLT32; }

bool ptx_jit_relocate (uint32_t type, uint8_t *place, uint64_t address) {
  uint64_t distance = address - (uint64_t)(uintptr_t)place;
  bool relative = type != R_X86_64_64, wide = ptx_jit_relocation_bytes(type) == 8;
  uint64_t value = relative ? distance : address;
  memcpy(place, &value, wide ? 8 : 4); /* little-endian */
  return wide || (int64_t)value == (int32_t)(uint32_t)value;
}

/* jmp *0(%rip) */
void ptx_jit_stub (uint8_t out[PTX_JIT_STUB_BYTES], const void *target) {
  static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };
  memcpy(out, jump, sizeof jump);
  memcpy(out + sizeof jump, &target, sizeof target);
}

#elif defined(__aarch64__)

uint16_t ptx_jit_machine (void) { return ELF_AARCH64; }

size_t ptx_jit_relocation_bytes (uint32_t type) {
  switch (type) {
    case R_AARCH64_ABS64:
    case R_AARCH64_PREL64: return 8;
    case R_AARCH64_PREL32:
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
    case R_AARCH64_LDST16_ABS_LO12_NC:
    case R_AARCH64_LDST32_ABS_LO12_NC:
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LDST128_ABS_LO12_NC:
    case R_AARCH64_JUMP26:
    case R_AARCH64_CALL26: return 4;
    default: return 0;
  }
}

bool ptx_jit_relocation_calls (uint32_t type) {
  return type == R_AARCH64_CALL26 || type == R_AARCH64_JUMP26;
}

/* Bits of an address that the scaled offset of a load or store leaves out. */
static unsigned scale_of (uint32_t type) {
  switch (type) {
    case R_AARCH64_LDST16_ABS_LO12_NC: return 1;
    case R_AARCH64_LDST32_ABS_LO12_NC: return 2;
    case R_AARCH64_LDST64_ABS_LO12_NC: return 3;
    case R_AARCH64_LDST128_ABS_LO12_NC: return 4;
    default: return 0;
  }
}

static bool set_page (uint8_t *place, uint64_t address) {
  int64_t pages = (int64_t)(address >> 12) - (int64_t)((uint64_t)(uintptr_t)place >> 12);
  uint32_t word, bits = (uint32_t)pages & 0x1fffffu;
  memcpy(&word, place, 4);
  word = (word & 0x9f00001fu) | (bits & 3u) << 29 | (bits >> 2) << 5;
  memcpy(place, &word, 4);
  return pages >= -(1 << 20) && pages < 1 << 20;
}

static bool set_low (uint8_t *place, uint64_t address, unsigned scale) {
  uint32_t word, low = (uint32_t)address & 0xfffu;
  memcpy(&word, place, 4);
  word = (word & ~(0xfffu << 10)) | (low >> scale) << 10;
  memcpy(place, &word, 4);
  return (low & ((1u << scale) - 1)) == 0;
}

static bool set_branch (uint8_t *place, uint64_t address) {
  int64_t distance = (int64_t)(address - (uint64_t)(uintptr_t)place);
  uint32_t word;
  memcpy(&word, place, 4);
  word = (word & 0xfc000000u) | ((uint32_t)((uint64_t)distance >> 2) & 0x3ffffffu);
  memcpy(place, &word, 4);
  return distance >= -(1 << 27) && distance < 1 << 27;
}

static bool set_data (uint32_t type, uint8_t *place, uint64_t address) {
  uint64_t distance = address - (uint64_t)(uintptr_t)place;
  uint64_t value = type == R_AARCH64_ABS64 ? address : distance;
  bool wide = type != R_AARCH64_PREL32;
  memcpy(place, &value, wide ? 8 : 4);
  return wide || (int64_t)value == (int32_t)(uint32_t)value;
}

bool ptx_jit_relocate (uint32_t type, uint8_t *place, uint64_t address) {
  switch (type) {
    case R_AARCH64_ABS64:
    case R_AARCH64_PREL64:
    case R_AARCH64_PREL32: return set_data(type, place, address);
    case R_AARCH64_ADR_PREL_PG_HI21: return set_page(place, address);
    case R_AARCH64_JUMP26:
    case R_AARCH64_CALL26: return set_branch(place, address);
    default: return set_low(place, address, scale_of(type));
  }
}

/* ldr x16, . + 8; br x16 */
void ptx_jit_stub (uint8_t out[PTX_JIT_STUB_BYTES], const void *target) {
  static const uint32_t jump[] = { 0x58000050u, 0xd61f0200u };
  memcpy(out, jump, sizeof jump);
  memcpy(out + sizeof jump, &target, sizeof target);
}

#else

uint16_t ptx_jit_machine (void) { return 0; }
size_t ptx_jit_relocation_bytes (uint32_t type) { return (void)type, 0; }
bool ptx_jit_relocation_calls (uint32_t type) { return (void)type, false; }
bool ptx_jit_relocate (uint32_t type, uint8_t *place, uint64_t address) {
  (void)type;
  (void)place;
  (void)address;
  return false;
}
void ptx_jit_stub (uint8_t out[PTX_JIT_STUB_BYTES], const void *target) {
  memset(out, 0, PTX_JIT_STUB_BYTES);
  (void)target;
}

#endif
