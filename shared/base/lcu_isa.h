/* lcu_isa.h: the instruction sets that lane loops are compiled for, which LUACUDA_ISA of CMake
 * selects: levels of x86-64, or "base" on other processors. */
#ifndef LCU_ISA_H
#define LCU_ISA_H

#if defined(LUACUDA_ISA_v4)
#define LCU_ISA_V4(X) X(v4)
#else
#define LCU_ISA_V4(X)
#endif
#if defined(LUACUDA_ISA_v3)
#define LCU_ISA_V3(X) X(v3)
#else
#define LCU_ISA_V3(X)
#endif
#if defined(LUACUDA_ISA_v2)
#define LCU_ISA_V2(X) X(v2)
#else
#define LCU_ISA_V2(X)
#endif
#if defined(LUACUDA_ISA_base)
#define LCU_ISA_BASE(X) X(base)
#else
#define LCU_ISA_BASE(X)
#endif

/* The name of a level, as ptx_isa_name gives it. */
#if defined(__x86_64__)
#define LCU_ISA_PREFIX "x86-64-"
#else
#define LCU_ISA_PREFIX ""
#endif
#define LCU_ISA_TEXT(level) #level
#define LCU_ISA_NAME(level) LCU_ISA_PREFIX LCU_ISA_TEXT(level)

/* X(level) for each of them, the best first. */
#define LCU_ISA_LEVELS(X) LCU_ISA_V4(X) LCU_ISA_V3(X) LCU_ISA_V2(X) LCU_ISA_BASE(X)

#endif
