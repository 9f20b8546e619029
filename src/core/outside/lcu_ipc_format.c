/* lcu_ipc_format.c: handles of memory and events as strings. */
#include "lcu_ipc_format.h"

#include <string.h>

#include "lcu_crc32.h"

static const char MAGIC[6] = { 'L', 'C', 'U', 'I', 'P', 'C' };
enum { VERSION = 1, AT_SUM = 12, AT_BODY = 16, EVENT_SIZE = 116, ARRAY_SIZE = 140 };


/* ---- writing ---- */

static unsigned char *put (unsigned char *p, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; i++) *p++ = (unsigned char)(v >> (8 * i));
  return p;
}

static unsigned char *put_bytes (unsigned char *p, const void *from, size_t n) {
  memcpy(p, from, n);
  return p + n;
}

static unsigned char *put_array (unsigned char *p, const lcu_ipc_handle *h) {
  size_t name = strlen(h->dtype);
  p = put(p, h->memory, 8);
  p = put(p, (uint64_t)h->offset, 8);
  p = put(p, h->element, 4);
  p = put(p, (uint64_t)h->ndim, 1);
  p = put(p, name, 1);
  p = put(p, 0, 2);
  for (int i = 0; i < h->ndim; i++) p = put(p, (uint64_t)h->shape[i], 8);
  for (int i = 0; i < h->ndim; i++) p = put(p, (uint64_t)h->strides[i], 8);
  return put_bytes(p, h->dtype, name);
}

size_t lcu_ipc_write (const lcu_ipc_handle *h, unsigned char *out) {
  unsigned char *p = put_bytes(out, MAGIC, sizeof MAGIC);
  p = put(p, VERSION, 1);
  p = put(p, (uint64_t)h->kind, 1);
  p = put(out + AT_BODY, h->process.pid, 4);
  p = put_bytes(p, h->process.nonce, sizeof h->process.nonce);
  p = put_bytes(p, h->uuid.bytes, sizeof h->uuid.bytes);
  p = put_bytes(p, h->bytes, sizeof h->bytes);
  if (h->kind == LCU_IPC_ARRAY) p = put_array(p, h);
  size_t n = (size_t)(p - out);
  put(out + 8, n, 4);
  put(out + AT_SUM, lcu_crc32(0, out + AT_BODY, n - AT_BODY), 4);
  return n;
}


/* ---- reading ---- */

static uint64_t get (const unsigned char **p, int bytes) {
  uint64_t v = 0;
  for (int i = 0; i < bytes; i++) v |= (uint64_t)*(*p)++ << (8 * i);
  return v;
}

static void get_bytes (const unsigned char **p, void *to, size_t n) {
  memcpy(to, *p, n);
  *p += n;
}

static lcu_status damaged (void) {
  return lcu_fail(LCU_E_SYNTAX, "the handle is damaged: its checksum is wrong");
}

static lcu_status check_frame (const unsigned char *p, size_t len) {
  const unsigned char *size = p + 8, *sum = p + AT_SUM;
  if (len < sizeof MAGIC || memcmp(p, MAGIC, sizeof MAGIC) != 0)
    return lcu_fail(LCU_E_SYNTAX, "the string is not a handle of array:ipc_handle or "
                                  "event:ipc_handle");
  if (len > sizeof MAGIC && p[6] != VERSION)
    return lcu_fail(LCU_E_SYNTAX, "the handle has version %d, this LuaCUDA reads version %d",
                    (int)p[6], (int)VERSION);
  if (len < EVENT_SIZE || get(&size, 4) != len)
    return lcu_fail(LCU_E_SYNTAX, "the handle is incomplete: it has %zu bytes", len);
  if (get(&sum, 4) != lcu_crc32(0, p + AT_BODY, len - AT_BODY)) return damaged();
  return LCU_OK;
}

static lcu_status get_array (const unsigned char *p, size_t len, lcu_ipc_handle *out) {
  if (len < ARRAY_SIZE) return damaged();
  out->memory = get(&p, 8);
  out->offset = (int64_t)get(&p, 8);
  out->element = (uint32_t)get(&p, 4);
  out->ndim = (int)get(&p, 1);
  size_t name = (size_t)get(&p, 1);
  p += 2;
  if (out->ndim > LCU_IPC_DIMS || len != ARRAY_SIZE + 16 * (size_t)out->ndim + name)
    return damaged();
  for (int i = 0; i < out->ndim; i++) out->shape[i] = (int64_t)get(&p, 8);
  for (int i = 0; i < out->ndim; i++) out->strides[i] = (int64_t)get(&p, 8);
  get_bytes(&p, out->dtype, name);
  return memchr(out->dtype, '\0', name) == NULL ? LCU_OK : damaged();
}

lcu_status lcu_ipc_read (const void *data, size_t len, lcu_ipc_handle *out) {
  const unsigned char *p = data;
  LCU_TRY(check_frame(p, len));
  memset(out, 0, sizeof *out);
  out->kind = (lcu_ipc_kind)p[7];
  p += AT_BODY;
  out->process.pid = (uint32_t)get(&p, 4);
  get_bytes(&p, out->process.nonce, sizeof out->process.nonce);
  get_bytes(&p, out->uuid.bytes, sizeof out->uuid.bytes);
  get_bytes(&p, out->bytes, sizeof out->bytes);
  if (out->kind == LCU_IPC_ARRAY) return get_array(p, len, out);
  return out->kind == LCU_IPC_EVENT && len == EVENT_SIZE ? LCU_OK : damaged();
}
