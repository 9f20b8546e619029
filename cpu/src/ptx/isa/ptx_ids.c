/* ptx_ids.c: handlers by name, and what they do to memory. */
#include "ptx_ids.h"

#include <pthread.h>
#include <string.h>

const char *const ptx_id_names[PTX_ID_COUNT] = {
  "none",
#define PTX_HANDLER(name) #name,
#include "ptx_handlers.def"
};

const uint8_t ptx_id_access[PTX_ID_COUNT] = {
#define PTX_LOOP(name)
#define PTX_ISA_FUNCTION(name, access) [PTX_ID_##name] = PTX_ACCESS_##access,
#define PTX_PLAIN_FUNCTION(name, access) [PTX_ID_##name] = PTX_ACCESS_##access,
#include "ptx_handlers.def"
};

/* Open addressing, filled once. */
enum { ID_BUCKETS = 8192 };
static uint16_t id_buckets[ID_BUCKETS];
static pthread_once_t ids_once = PTHREAD_ONCE_INIT;

_Static_assert(PTX_ID_COUNT < ID_BUCKETS / 2, "buckets needs room");

static uint32_t hash_name (const char *s) {
  uint32_t h = 2166136261u;
  for (; *s != '\0'; s++) h = (h ^ (uint8_t)*s) * 16777619u;
  return h ^ (h >> 15);
}

static void fill (void) {
  for (uint32_t i = 1; i < PTX_ID_COUNT; i++) {
    uint32_t h = hash_name(ptx_id_names[i]) % ID_BUCKETS;
    while (id_buckets[h] != 0) h = (h + 1) % ID_BUCKETS;
    id_buckets[h] = (uint16_t)i;
  }
}

uint16_t ptx_id_find (const char *name) {
  pthread_once(&ids_once, fill);
  for (uint32_t h = hash_name(name) % ID_BUCKETS; id_buckets[h] != 0; h = (h + 1) % ID_BUCKETS)
    if (strcmp(ptx_id_names[id_buckets[h]], name) == 0) return id_buckets[h];
  return 0;
}
