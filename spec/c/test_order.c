/* test_order.c: tests the automatic ordering between streams with a driver that records which work
 * comes before which (order_driver.h). Random programs use memory, streams, events and devices, and
 * every use of memory is checked. Other tests count the calls that the ordering makes. */
#include "order_driver.h"

#include "check.h"
#include "lcu_copy.h"
#include "lcu_event.h"
#include "lcu_block.h"
#include "lcu_stream.h"
#include "lcu_pool.h"
#include "lcu_stage.h"
#include "lcu_wait.h"
#include "lcu_work.h"

enum {
  STREAM_SLOTS = 24,
  BLOCK_SLOTS = 10,
  EVENT_SLOTS = 3,
  STEPS = 80,
  PROGRAMS = 4000,
  LARGEST = 2 << 20
};

static lcu_device *devices[DEVICES];
static lcu_stream *streams[STREAM_SLOTS];
static cu_stream
  handles[STREAM_SLOTS]; /* of streams that the test made; NULL: the library made it */
static lcu_block *blocks[BLOCK_SLOTS];
static lcu_event *events[EVENT_SLOTS];
static char bytes[LARGEST];

/* The traits of a program. */
static struct {
  unsigned blocks, streams; /* how many it uses */
  unsigned unordered;       /* one launch in this many is unordered */
  unsigned others;          /* one step in this many is not a launch */
  bool staging;             /* most steps are large copies from the host */
} traits;

static uint64_t state;

static unsigned pick (unsigned n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % n;
}


/* ---- the parts of a program ---- */

static int number_of_stream (const lcu_stream *s) {
  return s->is_null ? s->device->ordinal : s->handle->number;
}

/* No stream has two marks, and `sole` is the stream of the mark if it is the only one. */
static void check_marks (const lcu_block *b) {
  if (b->num_marks > LCU_MARKS) mistake("too many marks");
  for (int i = 0; i < b->num_marks; i++)
    for (int j = 0; j < i; j++)
      if (b->marks[i].stream == b->marks[j].stream) mistake("two marks of a stream");
  if (atomic_load(&b->sole) != (b->num_marks == 1 ? b->marks[0].stream : NULL))
    mistake("sole is not the only mark's stream");
}

static void launch (lcu_stream *s, const lcu_use *uses, size_t n, bool ordered) {
  lcu_scope scope;
  CHECK(lcu_device_enter(s->device, &scope) == LCU_OK);
  if (!lcu_work_is_sole(s, uses, n)) CHECK(lcu_work_order(s, uses, n, ordered) == LCU_OK);
  int stream = number_of_stream(s);
  unsigned count = model_work(stream);
  for (size_t i = 0; i < n; i++)
    model_use(uses[i].block->address, stream, count, uses[i].write, ordered);
  lcu_work_end_kernel(s, uses, n, ordered, "k", 1);
  lcu_device_leave(&scope);
}

static void use (lcu_stream *s, lcu_block *b, bool write) {
  launch(s, &(lcu_use){ b, write }, 1, true);
}

/* Foreign memory is released as soon as no work uses it. */
static void release_foreign (void *ud) {
  cu_deviceptr p = ((cell *)ud)->first;
  if (!model_is_idle(p, true)) mistake("foreign memory is released while it is used");
}

static lcu_block *wrap_memory (lcu_device *d, size_t size) {
  lcu_block *b = NULL;
  cell *c = new_cell(size, false);
  CHECK(lcu_block_wrap(d, LCU_MEM_FOREIGN, c->first, NULL, size, release_foreign, c, &b) == LCU_OK);
  return b;
}

/* Early memory, spare memory, memory that is neither, or foreign memory. */
static lcu_block *make_block (lcu_stream *home) {
  const size_t sizes[] = { 4096, 65536, 65536 + pick(4096), LARGEST };
  lcu_block *b = NULL;
  size_t size = sizes[traits.staging ? 3 : pick(4)];
  if (pick(6) == 0) return wrap_memory(home->device, size);
  CHECK(lcu_block_alloc(home->device, size, home, &b) == LCU_OK);
  model_change_owner(b->address, size);
  return b;
}

static lcu_stream *make_stream (int slot) {
  lcu_device *d = devices[pick(4) == 0];
  lcu_stream *s = NULL;
  lcu_scope scope;
  handles[slot] = NULL;
  if (slot < DEVICES) return lcu_ref(devices[slot]->null_stream);
  if (pick(3) != 0) {
    CHECK(lcu_stream_create(d, 0, false, &s) == LCU_OK);
    return s;
  }
  CHECK(lcu_device_enter(d, &scope) == LCU_OK);
  handles[slot] = model_new_stream();
  lcu_device_leave(&scope);
  CHECK(lcu_stream_wrap(d, handles[slot], &s) == LCU_OK);
  return s;
}

static void end_stream (int slot) {
  lcu_stage_retire(streams[slot]);
  lcu_unref(streams[slot]);
  if (handles[slot] != NULL) handles[slot]->ended = true;
}


/* ---- steps ---- */

static lcu_stream *any_stream (void) { return streams[pick(traits.streams)]; }
static lcu_block *any_block (void) { return blocks[pick(traits.blocks)]; }

static void step_launch (void) {
  lcu_use uses[8];
  size_t n = 1 + pick(pick(4) != 0 ? 3 : lcu_arraylen(uses));
  for (size_t i = 0; i < n; i++) uses[i] = (lcu_use){ any_block(), pick(3) == 0 };
  launch(any_stream(), uses, n, pick(traits.unordered) != 0);
}

static void step_copy (void) {
  lcu_block *dst = any_block(), *src = any_block();
  if (dst != src) CHECK(lcu_copy(dst, 0, src, 0, 4096, any_stream()) == LCU_OK);
}

static void step_fill (void) {
  lcu_block *b = any_block();
  CHECK(lcu_fill(b, 0, pick(2) ? "12345678" : "11111111", 8, 512, any_stream()) == LCU_OK);
}

static void step_copy_in (void) {
  lcu_block *b = any_block();
  size_t n = b->size < LARGEST ? b->size : traits.staging ? pick(LARGEST) : 70000;
  CHECK(lcu_copy_in(b, 0, bytes, n, any_stream()) == LCU_OK);
}

static void step_copy_out (void) {
  lcu_block *b = any_block();
  CHECK(lcu_copy_out(bytes, b, 0, 64, any_stream()) == LCU_OK);
  if (!model_is_idle(b->address, false)) mistake("the host reads before a write");
}

static void step_host (void) {
  lcu_block *b = any_block();
  bool write = pick(2);
  CHECK(lcu_block_wait(b, NULL, write) == LCU_OK);
  if (!model_is_idle(b->address, write)) mistake("the host does not wait for all uses");
}

static void step_idle (void) {
  lcu_block *b = any_block();
  if (lcu_block_idle(b, true) && !model_is_idle(b->address, true))
    mistake("a block in use is reported as idle");
}

static void step_renew_block (void) {
  unsigned i = pick(traits.blocks);
  lcu_unref(blocks[i]);
  blocks[i] = make_block(any_stream());
}

static void step_renew_stream (void) {
  int i = DEVICES + (int)pick(traits.streams - DEVICES);
  end_stream(i);
  streams[i] = make_stream(i);
}

static void step_record (void) {
  lcu_event *e = events[pick(EVENT_SLOTS)];
  lcu_stream *s = any_stream();
  if (e->device == s->device) CHECK(lcu_event_record(e, s) == LCU_OK);
}

static void step_wait_event (void) {
  CHECK(lcu_stream_wait_event(any_stream(), events[pick(EVENT_SLOTS)]) == LCU_OK);
}
static void step_wait_stream (void) {
  CHECK(lcu_order_after(any_stream(), any_stream()) == LCU_OK);
}

static void step_ask (void) {
  bool done;
  if (pick(2)) CHECK(lcu_event_query(events[pick(EVENT_SLOTS)], &done) == LCU_OK);
  else CHECK(lcu_stream_query(any_stream(), &done) == LCU_OK);
}

static void step_synchronize (void) {
  if (pick(2)) CHECK(lcu_event_synchronize(events[pick(EVENT_SLOTS)]) == LCU_OK);
  else CHECK(lcu_stream_synchronize(any_stream()) == LCU_OK);
}

static void step_progress (void) { model_progress((int)pick((unsigned)model.num_streams)); }

static void step (void) {
  static void (*const steps[])(void) = {
    step_copy,       step_fill,        step_copy_in,     step_copy_out,     step_host,
    step_idle,       step_renew_block, step_renew_block, step_renew_stream, step_record,
    step_wait_event, step_wait_stream, step_ask,         step_synchronize,  step_progress,
  };
  if (traits.staging && pick(8) != 0) step_copy_in();
  else if (pick(traits.others) != 0) step_launch();
  else steps[pick(lcu_arraylen(steps))]();
  for (unsigned i = 0; i < traits.blocks; i++) check_marks(blocks[i]);
}


/* ---- programs ---- */

static void open_devices (void) {
  model_reset();
  for (int i = 0; i < DEVICES; i++) {
    CHECK(lcu_device_create(&order_driver, i, &devices[i]) == LCU_OK);
    devices[i]->index = (size_t)i;
    CHECK(lcu_device_open(devices[i]) == LCU_OK);
  }
}

static void close_devices (void) {
  for (int i = 0; i < DEVICES; i++) lcu_device_close(devices[i]);
  CHECK(lcu_object_live(LCU_OBJ_BLOCK) == 0 && lcu_object_live(LCU_OBJ_STREAM) == 0 &&
        lcu_object_live(LCU_OBJ_DEVICE) == 0);
}

static void start_program (void) {
  open_devices();
  traits.blocks = 1 + pick(BLOCK_SLOTS);
  traits.streams = 3 + pick(STREAM_SLOTS - 2);
  traits.staging = pick(64) == 0;
  traits.unordered = 1 + pick(6);
  traits.others = 1 + pick(8);
  for (int i = 0; i < (int)traits.streams; i++) streams[i] = make_stream(i);
  for (unsigned i = 0; i < traits.blocks; i++) blocks[i] = make_block(any_stream());
  for (int i = 0; i < EVENT_SLOTS; i++)
    CHECK(lcu_event_create(devices[i == 2], true, false, false, &events[i]) == LCU_OK);
}

static void end_program (void) {
  for (unsigned i = 0; i < traits.blocks; i++) lcu_unref(blocks[i]);
  for (int i = 0; i < EVENT_SLOTS; i++) lcu_unref(events[i]);
  for (int i = 0; i < (int)traits.streams; i++) end_stream(i);
  close_devices();
}

static void random_programs (uint64_t first, int count) {
  for (int i = 0; i < count && failed == 0; i++) {
    state = first + (uint64_t)i;
    start_program();
    int steps = 0;
    while (steps++ < STEPS && model.bad == NULL) step();
    const char *bad = model.bad;
    end_program();
    if (bad == NULL) bad = model.bad;
    if (bad != NULL)
      printf("program %llu, step %d: %s\n", (unsigned long long)(first + (uint64_t)i), steps, bad);
    CHECK(bad == NULL);
  }
}


/* ---- the number of calls ---- */

static void one_stream_asks_nothing (void) {
  open_devices();
  lcu_stream *s = devices[0]->null_stream;
  lcu_block *a = NULL, *b = NULL;
  CHECK(lcu_block_alloc(devices[0], 65536, s, &a) == LCU_OK &&
        lcu_block_alloc(devices[0], 65536, s, &b) == LCU_OK);
  for (int i = 0; i < 20; i++) launch(s, (lcu_use[]){ { a, true }, { b, false } }, 2, true);
  CHECK(lcu_copy(b, 0, a, 0, 512, s) == LCU_OK);
  lcu_unref(a);
  lcu_unref(b);
  CHECK(model.records + model.waits + model.host_waits == 0 && model.bad == NULL);
  close_devices();
}

/* The number of waits since the last call of this function. */
static unsigned waits_since (unsigned *before) {
  unsigned n = model.waits - *before;
  *before = model.waits;
  return n;
}

static void makes_few_waits (void) {
  open_devices();
  lcu_stream *s[4];
  lcu_event *e = NULL;
  lcu_block *b = wrap_memory(devices[0], 4096);
  unsigned before = 0;
  for (int i = 0; i < 4; i++) CHECK(lcu_stream_create(devices[0], 0, false, &s[i]) == LCU_OK);
  for (int i = 0; i < 4; i++) use(s[i], b, false);
  CHECK(waits_since(&before) == 0); /* readers do not wait for each other */
  use(s[0], b, true);
  CHECK(waits_since(&before) == 3);
  use(s[1], b, false);
  CHECK(waits_since(&before) == 1);
  use(s[1], b, false);
  CHECK(waits_since(&before) == 0); /* s[1] has already waited */
  use(s[0], b, false);
  use(s[1], b, false);
  CHECK(waits_since(&before) == 0); /* readers again */
  CHECK(lcu_event_create(devices[0], false, false, false, &e) == LCU_OK &&
        lcu_event_record(e, s[0]) == LCU_OK);
  CHECK(lcu_stream_wait_event(s[2], e) == LCU_OK && waits_since(&before) == 1);
  use(s[2], b, false);
  CHECK(waits_since(&before) == 0); /* the program has made it wait */
  use(s[0], b, true);
  CHECK(waits_since(&before) == 2);
  launch(s[1], &(lcu_use){ b, true }, 1, false);
  CHECK(waits_since(&before) == 0); /* unordered work does not wait */
  use(s[0], b, true);
  CHECK(waits_since(&before) == 1);
  CHECK(lcu_stream_synchronize(s[0]) == LCU_OK);
  use(s[3], b, true);
  CHECK(waits_since(&before) == 0 && model.bad == NULL); /* all work is known to be over */
  lcu_unref(b);
  lcu_unref(e);
  for (int i = 0; i < 4; i++) lcu_unref(s[i]);
  close_devices();
}

/* An event does not cover work that is queued directly after its record. */
static void events_cover_what_was_before (void) {
  open_devices();
  lcu_stream *s = NULL;
  lcu_event *e = NULL;
  lcu_block *b = wrap_memory(devices[0], 4096);
  CHECK(lcu_stream_create(devices[0], 0, false, &s) == LCU_OK);
  CHECK(lcu_event_create(devices[0], false, false, false, &e) == LCU_OK);
  use(s, b, true);
  CHECK(lcu_event_record(e, s) == LCU_OK &&
        lcu_stream_wait_event(devices[0]->null_stream, e) == LCU_OK);
  use(s, b, true);
  use(devices[0]->null_stream, b, false);
  use(s, b, true);
  model_progress(number_of_stream(s));
  use(s, b, true);
  CHECK(lcu_event_record(e, s) == LCU_OK);
  use(s, b, true);
  CHECK(lcu_event_synchronize(e) == LCU_OK && lcu_block_wait(b, NULL, false) == LCU_OK &&
        model_is_idle(b->address, false));
  CHECK(model.bad == NULL);
  lcu_unref(b);
  lcu_unref(e);
  lcu_unref(s);
  close_devices();
}

int main (int argc, char **argv) {
  one_stream_asks_nothing();
  makes_few_waits();
  events_cover_what_was_before();
  if (argc > 1) random_programs(strtoull(argv[1], NULL, 0), argc > 2 ? atoi(argv[2]) : 1);
  else random_programs(1, PROGRAMS);
  return check_result();
}
