/* cpu_print.c: the buffer for printf in kernels. */
#include "cpu_print.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "cpu_limit.h"
#include "lcu_mem.h"

static struct {
  pthread_mutex_t lock;
  lcu_buf text;
  atomic_size_t pending;
} print_out = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void write_pending (void) {
  if (print_out.text.len > 0) {
    fwrite(print_out.text.data, 1, print_out.text.len, stdout);
    fflush(stdout);
  }
  lcu_buf_free(&print_out.text);
  atomic_store_explicit(&print_out.pending, 0, memory_order_release);
}

void cpu_print_add (const char *text, size_t len) {
  pthread_mutex_lock(&print_out.lock);
  lcu_buf_add(&print_out.text, text, len);
  atomic_store_explicit(&print_out.pending, print_out.text.len, memory_order_release);
  size_t limit = cpu_limit(cpu_primary(), CU_LIMIT_PRINTF_FIFO_SIZE_);
  if (print_out.text.failed || print_out.text.len >= limit) write_pending();
  pthread_mutex_unlock(&print_out.lock);
}

void cpu_print_flush (void) {
  if (atomic_load_explicit(&print_out.pending, memory_order_acquire) == 0) return;
  pthread_mutex_lock(&print_out.lock);
  write_pending();
  pthread_mutex_unlock(&print_out.lock);
}
