/* face_advice.c: what a program said about managed memory: advice and prefetching change nothing on
 * this device, but cuMemRangeGetAttribute answers what was said of a range last. */
#include <pthread.h>

#include "cpu_face.h"

enum { PREFETCH = 0, NOWHERE = -2 }; /* beside the numbers of advice, and of devices */

/* One call, of advice or of prefetching. A block that is gone has another id, or none. */
typedef struct said {
  cu_deviceptr first, end;
  uint64_t block;
  int what;
  cu_device dev;
  struct said *next; /* the call before */
} said;

static struct {
  pthread_mutex_t lock;
  said *latest;
  size_t count, limit;
  cu_result (*advise)(cu_deviceptr p, size_t n, int advice, cu_device dev);
  cu_result (*prefetch)(cu_deviceptr p, size_t n, cu_device dev, cu_stream s);
} all = { .lock = PTHREAD_MUTEX_INITIALIZER, .limit = 256 };

static uint64_t block_of (cu_deviceptr p) {
  uint64_t id = 0;
  return face.cuPointerGetAttribute(&id, CU_POINTER_BUFFER_ID, p) == 0 ? id : 0;
}


/* ---- what is said ---- */

/* Do both concern the same thing, so that the later one replaces the earlier? */
static bool same_matter (int a, cu_device a_dev, int b, cu_device b_dev) {
  bool accessed = a >= CU_ADVISE_ACCESSED_BY;
  if (a == PREFETCH || b == PREFETCH) return a == b;
  return (a - 1) / 2 == (b - 1) / 2 && (!accessed || a_dev == b_dev);
}

static bool is_stale (const said *old, const said *new) {
  bool replaced = old->block == new->block && old->first >= new->first && old->end <= new->end;
  return replaced && same_matter(old->what, old->dev, new->what, new->dev);
}

/* Drops what the new call replaces, and now and then what concerns blocks that are gone. */
static void tidy (const said *new) {
  bool thorough = all.count >= all.limit;
  for (said **at = &all.latest; *at != NULL;) {
    said *old = *at;
    if (!is_stale(old, new) && !(thorough && block_of(old->first) != old->block)) {
      at = &old->next;
      continue;
    }
    *at = old->next;
    lcu_free(old);
    all.count--;
  }
  if (thorough) all.limit = 2 * all.count + 256;
}

static cu_result note (cu_deviceptr p, size_t n, int what, cu_device dev) {
  said *s = lcu_alloc(sizeof *s);
  if (s == NULL) return CU_ERR_OUT_OF_MEMORY;
  *s = (said){ p, p + n, block_of(p), what, dev, NULL };
  pthread_mutex_lock(&all.lock);
  tidy(s);
  s->next = all.latest;
  all.latest = s;
  all.count++;
  pthread_mutex_unlock(&all.lock);
  return 0;
}

static cu_result advise (cu_deviceptr p, size_t n, int advice, cu_device dev) {
  cu_result r = all.advise(p, n, advice, dev);
  return r == 0 ? note(p, n, advice, dev) : r;
}

static cu_result prefetch (cu_deviceptr p, size_t n, cu_device dev, cu_stream s) {
  cu_result r = all.prefetch(p, n, dev, s);
  return r == 0 ? note(p, n, PREFETCH, dev) : r;
}

void face_advice_begin (void) {
  all.advise = face.cuMemAdvise;
  all.prefetch = face.cuMemPrefetchAsync;
  face.cuMemAdvise = advise;
  face.cuMemPrefetchAsync = prefetch;
}


/* ---- what was said; these need the lock ---- */

/* The latest call about a byte and this matter, or NULL. */
static const said *find (cu_deviceptr p, uint64_t block, int what, cu_device dev) {
  const said *s = all.latest;
  while (s != NULL && !(s->block == block && p >= s->first && p < s->end &&
                        same_matter(s->what, s->dev, what, dev)))
    s = s->next;
  return s;
}

/* What holds for a byte: a device, or 1 and 0 for what is on and off. */
static int answer (cu_deviceptr p, uint64_t block, int what, cu_device dev) {
  const said *s = find(p, block, what, dev);
  bool located = what == PREFETCH || what == CU_ADVISE_PREFERRED_LOCATION;
  if (located) return s != NULL && s->what == what ? s->dev : NOWHERE;
  return s != NULL && s->what == what;
}

/* The first byte after p where another call begins or ends, at most `end`. */
static cu_deviceptr next_edge (cu_deviceptr p, cu_deviceptr end) {
  for (const said *s = all.latest; s != NULL; s = s->next) {
    if (s->first > p && s->first < end) end = s->first;
    if (s->end > p && s->end < end) end = s->end;
  }
  return end;
}

/* What holds for all bytes; `otherwise` if they differ. */
static int answer_all (cu_deviceptr p, size_t n, int what, cu_device dev, int otherwise) {
  cu_deviceptr end = p + n;
  uint64_t block = block_of(p);
  int first = answer(p, block, what, dev);
  for (p = next_edge(p, end); p < end; p = next_edge(p, end))
    if (answer(p, block, what, dev) != first) return otherwise;
  return first;
}

/* The devices that were told to keep access, then the host; the rest is NOWHERE. */
static void list_accessing (int *out, size_t room, cu_deviceptr p, size_t n) {
  int devices = 0;
  size_t count = 0;
  (void)face.cuDeviceGetCount(&devices);
  for (int i = 0; i <= devices && count < room; i++) {
    cu_device dev = i < devices ? i : CU_DEVICE_HOST;
    if (answer_all(p, n, CU_ADVISE_ACCESSED_BY, dev, 0) != 0) out[count++] = dev;
  }
  while (count < room) out[count++] = NOWHERE;
}

static int type_of (cu_device dev) {
  enum { INVALID, DEVICE, HOST };
  return dev >= 0 ? DEVICE : dev == CU_DEVICE_HOST ? HOST : INVALID;
}

static cu_result get (int *out, size_t size, int attr, cu_deviceptr p, size_t n) {
  if (attr == CU_RANGE_ACCESSED_BY) {
    if (size == 0 || size % sizeof *out != 0) return CU_ERR_INVALID_VALUE;
    list_accessing(out, size / sizeof *out, p, n);
    return 0;
  }
  if (size != sizeof *out) return CU_ERR_INVALID_VALUE;
  int preferred = answer_all(p, n, CU_ADVISE_PREFERRED_LOCATION, 0, NOWHERE);
  int fetched = answer_all(p, n, PREFETCH, 0, NOWHERE);
  switch (attr) {
    case CU_RANGE_READ_MOSTLY: *out = answer_all(p, n, CU_ADVISE_READ_MOSTLY, 0, 0); return 0;
    case CU_RANGE_PREFERRED:
    case CU_RANGE_PREFERRED_ID: *out = preferred; return 0;
    case CU_RANGE_PREFERRED_TYPE: *out = type_of(preferred); return 0;
    case CU_RANGE_PREFETCHED:
    case CU_RANGE_PREFETCHED_ID: *out = fetched; return 0;
    case CU_RANGE_PREFETCHED_TYPE: *out = type_of(fetched); return 0;
    default: return CU_ERR_INVALID_VALUE;
  }
}

cu_result face_range_attribute (void *out, size_t size, int attr, cu_deviceptr p, size_t n) {
  unsigned managed = 0;
  cu_deviceptr base = 0;
  size_t bytes = 0;
  cu_result r = face_range_of(&base, &bytes, p);
  if (r == 0) r = face.cuPointerGetAttribute(&managed, CU_POINTER_IS_MANAGED, p);
  if (r != 0 || managed == 0 || out == NULL || n == 0 || n > bytes - (size_t)(p - base))
    return r == CU_ERR_NOT_INITIALIZED ? r : CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&all.lock);
  r = get(out, size, attr, p, n);
  pthread_mutex_unlock(&all.lock);
  return r;
}

cu_result face_range_attributes (void **out, size_t *sizes, int *attrs, size_t count,
                                 cu_deviceptr p, size_t n) {
  cu_result r =
    out == NULL || sizes == NULL || attrs == NULL || count == 0 ? CU_ERR_INVALID_VALUE : 0;
  for (size_t i = 0; r == 0 && i < count; i++)
    r = face_range_attribute(out[i], sizes[i], attrs[i], p, n);
  return r;
}
