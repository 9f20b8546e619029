/* lcu_base.h: fixed-width types, visibility and small macros for every file. */
#ifndef LCU_BASE_H
#define LCU_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LCU_VERSION_MAJOR 0
#define LCU_VERSION_MINOR 1
#define LCU_VERSION_PATCH 0
#define LCU_VERSION_TEXT "0.1.0"

#if defined(__GNUC__) || defined(__clang__)
#define LCU_EXPORT __attribute__((visibility("default")))
#define LCU_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define LCU_UNUSED __attribute__((unused))
#define lcu_likely(x) __builtin_expect(!!(x), 1)
#define lcu_unlikely(x) __builtin_expect(!!(x), 0)
/* A path rarely taken: the usual path does not save registers for it. */
#define LCU_COLD __attribute__((cold, noinline))
#else
#define LCU_EXPORT
#define LCU_PRINTF(fmt, args)
#define LCU_UNUSED
#define lcu_likely(x) (x)
#define lcu_unlikely(x) (x)
#define LCU_COLD
#endif

#define lcu_arraylen(a) (sizeof(a) / sizeof((a)[0]))

#endif
