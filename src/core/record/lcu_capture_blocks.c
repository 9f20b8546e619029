/* lcu_capture_blocks.c: finds the records of blocks in a capture. */
#include "lcu_capture_blocks.h"

#include <string.h>

static size_t slot_of (const lcu_capture_blocks *b, const lcu_kept *kept, const lcu_block *block) {
  size_t i = ((uintptr_t)block >> 6) * 0x9E3779B97F4A7C15u >> 20;
  for (;; i++) {
    uint32_t at = b->table[i & (b->size - 1)];
    if (at == 0 || kept->uses[at - 1].block == block) return i & (b->size - 1);
  }
}

/* Keeps a quarter of the table empty at least. */
static lcu_status grow_table (lcu_capture_blocks *b, const lcu_kept *kept) {
  if (b->num + 1 < b->size - b->size / 4) return LCU_OK;
  size_t size = b->size == 0 ? 64 : 2 * b->size;
  uint32_t *table = lcu_calloc(size, sizeof *table);
  if (table == NULL) return lcu_no_memory("the memory of a graph");
  lcu_free(b->table);
  b->table = table;
  b->size = size;
  for (size_t i = 0; i < b->num; i++)
    table[slot_of(b, kept, kept->uses[i].block)] = (uint32_t)i + 1;
  return LCU_OK;
}

static void init_record (lcu_block *record, lcu_device *d) {
  memset(record, 0, sizeof *record);
  record->device = d;
  atomic_init(&record->sole, NULL);
}

static lcu_status add_record (lcu_capture_blocks *b, lcu_kept *kept, const lcu_use *u) {
  LCU_TRY(grow_table(b, kept));
  LCU_TRY(lcu_kept_room((void **)(void *)&b->records, &b->room, b->num, sizeof *b->records,
                        "the memory of a graph"));
  size_t slot = slot_of(b, kept, u->block);
  LCU_TRY(lcu_kept_use(kept, u->block, false));
  init_record(&b->records[b->num], u->block->device);
  b->table[slot] = (uint32_t)++b->num;
  return LCU_OK;
}

static size_t find (const lcu_capture_blocks *b, const lcu_kept *kept, const lcu_block *block) {
  return b->size == 0 ? 0 : b->table[slot_of(b, kept, block)];
}

static lcu_status add_records (lcu_capture_blocks *b, lcu_kept *kept, const lcu_use *uses,
                               size_t n) {
  for (size_t i = 0; i < n; i++)
    if (uses[i].block != NULL && find(b, kept, uses[i].block) == 0)
      LCU_TRY(add_record(b, kept, &uses[i]));
  return LCU_OK;
}

lcu_status lcu_capture_blocks_find (lcu_capture_blocks *b, lcu_kept *kept, const lcu_use *uses,
                                    size_t n, bool count, const lcu_use **out) {
  LCU_TRY(add_records(b, kept, uses, n));
  while (b->found_room < n)
    LCU_TRY(lcu_kept_room((void **)(void *)&b->found, &b->found_room, n, sizeof *b->found,
                          "the memory of a graph"));
  for (size_t i = 0; i < n; i++) {
    size_t at = uses[i].block != NULL ? find(b, kept, uses[i].block) : 0;
    b->found[i] = (lcu_use){ at != 0 ? &b->records[at - 1] : NULL, uses[i].write };
    if (at != 0 && uses[i].write) kept->uses[at - 1].write = true;
    if (at != 0 && count) kept->counts[at - 1]++;
  }
  *out = b->found;
  return LCU_OK;
}

void lcu_capture_blocks_free (lcu_capture_blocks *b) {
  for (size_t i = 0; i < b->num; i++)
    for (int k = 0; k < b->records[i].num_marks; k++) lcu_unref(b->records[i].marks[k].stream);
  lcu_free(b->records);
  lcu_free(b->table);
  lcu_free(b->found);
}
