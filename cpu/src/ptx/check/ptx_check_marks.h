/* ptx_check_marks.h: the registers of a warp whose arithmetic wrapped around (ptx_check_wrap.c). */
#ifndef PTX_CHECK_MARKS_H
#define PTX_CHECK_MARKS_H

#include "ptx_cta.h"

/* Lanes of a register. */
typedef struct ptx_marks {
  union {
    uint32_t as_signed; /* 32 bits: the value does not fit as a signed number */
    uint32_t extended;  /* 64 bits: the value was extended from one that does not fit */
  };
  union {
    uint32_t as_any; /* 32 bits: nor does it as an unsigned one */
    uint32_t own;    /* 64 bits: the value does not fit either way */
  };
  uint32_t minus; /* a multiple of a negative constant: adding it is a subtraction */
} ptx_marks;

/* The operation that wrapped around first: "sum", "product" or "shift". */
typedef struct ptx_mark_origin {
  const char *name;
  uint32_t loc;
} ptx_mark_origin;

typedef struct ptx_marked {
  const uint8_t *rf; /* NULL: free */
  int32_t slot;
  ptx_marks m;
  ptx_mark_origin origin;
} ptx_marked;

static inline bool ptx_marks_any (ptx_marks m) { return (m.as_signed | m.as_any | m.minus) != 0; }

/* Whether the warp has marked registers. */
bool ptx_marks_exist (const ptx_xwarp *x);
/* The register's marks; NULL: it has none. The pointer is valid until marks are set. */
const ptx_marked *ptx_marks_find (const ptx_xwarp *x, const uint8_t *rf, int32_t slot);
/* Replaces those of the lanes in x->w.mask. When too many registers are marked, all are
 * forgotten. */
void ptx_marks_set (ptx_xwarp *x, const uint8_t *rf, int32_t slot, ptx_marks m,
                    ptx_mark_origin origin);

#endif
