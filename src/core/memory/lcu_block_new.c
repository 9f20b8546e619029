/* lcu_block_new.c: the records of blocks. */
#include "lcu_block.h"
#include "lcu_device_failure.h"

const char *lcu_memory_name (lcu_memory m) {
  static const char *const names[] = {
    [LCU_MEM_DEVICE] = "device", [LCU_MEM_PINNED] = "pinned",         [LCU_MEM_MANAGED] = "managed",
    [LCU_MEM_HOST] = "host",     [LCU_MEM_REGISTERED] = "registered", [LCU_MEM_FOREIGN] = "foreign",
    [LCU_MEM_MODULE] = "module",
  };
  return names[m];
}


/* Field by field and without the marks, which is cheaper than clearing the whole struct. */
static void clear_block (lcu_block *b) {
  b->pooled = b->ordered = b->listed = b->registered = b->readonly = b->managed = false;
  b->ended = b->untyped = false;
  b->address = 0;
  b->host = NULL;
  b->pinned_for = NULL;
  b->home = NULL;
  b->attach = 0;
  b->attached = NULL;
  b->end = NULL;
  b->growth = NULL;
  b->ipc = NULL;
  b->num_marks = 0;
  atomic_init(&b->sole, NULL);
  b->release = NULL;
  b->release_ud = NULL;
  b->label = (lcu_block_label){ .ndim = 0 };
  atomic_init(&b->labeled, false);
  b->next = b->prev = NULL;
}

/* Does not use calloc, which bypasses glibc's per-thread cache of freed memory. */
lcu_block *lcu_block_new (lcu_device *d, lcu_memory memory, size_t size) {
  lcu_block *b = lcu_alloc(sizeof *b);
  if (b == NULL) {
    lcu_no_memory("the record of a block");
    return NULL;
  }
  clear_block(b);
  b->memory = memory;
  b->device = lcu_ref(d);
  b->size = size;
  lcu_object_init(&b->base, LCU_OBJ_BLOCK, lcu_block_destroy);
  lcu_block_count_host(b, true);
  return b;
}

lcu_status lcu_block_fail_ended (const lcu_block *b) { return lcu_device_fail_dead(b->device); }
