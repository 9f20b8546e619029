/* lcu_entry.h: what PTX text itself states about its kernels: names, and the kind and size of each
 * parameter. */
#ifndef LCU_ENTRY_H
#define LCU_ENTRY_H

#include "lcu_dtype.h"
#include "lcu_mem.h"

typedef struct lcu_entry_param {
  /* of ".u32" and similar (the sign is not significant); NULL: bytes, so a class */
  const lcu_dtype *dtype;
  uint32_t size, align;
  bool pointer; /* ".ptr"; PTX does not give the type it points to */
} lcu_entry_param;

typedef struct lcu_entry {
  const char *name;
  const lcu_entry_param *params;
  size_t num_params;
  bool readable; /* are the parameters known? */
} lcu_entry;

typedef struct lcu_entries {
  lcu_arena arena;
  lcu_entry *list;
  size_t num;
} lcu_entries;

/* Finds every kernel that the text defines. */
lcu_status lcu_entries_read (const char *ptx, lcu_entries *out);
/* The kernel with readable parameters of this name; NULL: none. */
const lcu_entry *lcu_entries_find (const lcu_entries *e, const char *name);
void lcu_entries_free (lcu_entries *e);

#endif
