/* cpu_driver_stream.h: tests of the order in and between streams, of events and of waiting. */
#ifndef CPU_DRIVER_STREAM_H
#define CPU_DRIVER_STREAM_H

#include "cpu_driver_check.h"

typedef struct diary {
  atomic_int n;
  int seen[256];
} diary;
typedef struct entry {
  diary *in;
  int number;
} entry;

static void write_entry (void *ud) {
  entry *e = ud;
  e->in->seen[e->in->n] = e->number;
  e->in->n++;
}

static void test_order (void) {
  diary log = { 0 };
  entry e[200];
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_);
  for (int i = 0; i < 200; i++) {
    e[i] = (entry){ &log, i };
    OK(d->cuLaunchHostFunc(s, write_entry, &e[i]));
  }
  OK(d->cuStreamSynchronize(s));
  bool ordered = log.n == 200;
  for (int i = 0; i < 200; i++) ordered = ordered && log.seen[i] == i;
  CHECK(ordered);
  OK(d->cuStreamQuery(s));
  OK(d->cuStreamDestroy(s));
  ON_CPU(RESULT(INVALID_HANDLE, d->cuStreamSynchronize(s)));
}

static void test_events (void) {
  gate g = { 0 };
  float ms = -1;
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_), t = new_stream(CU_STREAM_NON_BLOCKING_);
  cu_event a = new_event(), b = new_event(), silent = NULL;
  OK(d->cuEventQuery(a)); /* never recorded: complete */
  OK(d->cuEventSynchronize(a));
  RESULT(INVALID_HANDLE, d->cuEventElapsedTime(&ms, a, b));
  OK(d->cuEventRecord(a, s));
  OK(d->cuLaunchHostFunc(s, gate_wait, &g));
  OK(d->cuEventRecord(b, s));
  OK(d->cuStreamWaitEvent(t, b, 0));
  ON_CPU(RESULT(NOT_READY, d->cuxIdle()));
  RESULT(NOT_READY, d->cuEventQuery(b));
  RESULT(NOT_READY, d->cuStreamQuery(t));
  RESULT(NOT_READY, d->cuEventElapsedTime(&ms, a, b));
  pause_ms(20);
  RESULT(NOT_READY, d->cuStreamQuery(t));
  g.open = true;
  OK(d->cuEventSynchronize(b));
  OK(d->cuEventElapsedTime(&ms, a, b));
  CHECK(ms >= 19 && ms < 5000);
  OK(d->cuStreamSynchronize(t));
  ON_CPU(OK(d->cuxIdle()));
  OK(d->cuEventCreate(&silent, CU_EVENT_DISABLE_TIMING_));
  OK(d->cuEventRecord(silent, s));
  RESULT(INVALID_HANDLE, d->cuEventElapsedTime(&ms, a, silent));
  OK(d->cuEventDestroy(a));
  OK(d->cuEventDestroy(b));
  OK(d->cuEventDestroy(silent));
  OK(d->cuEventCreate(&silent, CU_EVENT_INTERPROCESS_ | CU_EVENT_DISABLE_TIMING_));
  OK(d->cuEventDestroy(silent));
  ON_CPU(RESULT(INVALID_HANDLE, d->cuEventRecord(a, s)));
  ON_CPU(RESULT(INVALID_HANDLE, d->cuEventDestroy(a)));
  OK(d->cuStreamDestroy(s));
  OK(d->cuStreamDestroy(t));
}

/* An event that is destroyed while its record is queued, and one whose stream is destroyed. */
static void test_event_lifetime (void) {
  gate g = { 0 };
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_);
  cu_event e = new_event(), f = new_event(), h;
  OK(d->cuLaunchHostFunc(s, gate_wait, &g));
  OK(d->cuEventRecord(e, s));
  OK(d->cuEventRecord(f, s));
  OK(d->cuEventDestroy(e));
  h = new_event(); /* reuses the memory of e */
  OK(d->cuEventQuery(h));
  g.open = true;
  OK(d->cuStreamDestroy(s));
  OK(d->cuEventSynchronize(f));
  OK(d->cuEventQuery(h));
  OK(d->cuEventDestroy(f));
  OK(d->cuEventDestroy(h));
}

/* A wait refers to the latest record at the time of the call, not to later ones. */
static void test_wait_snapshot (void) {
  gate g = { 0 };
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_), t = new_stream(CU_STREAM_NON_BLOCKING_);
  cu_event e = new_event();
  OK(d->cuEventRecord(e, s));
  OK(d->cuStreamWaitEvent(t, e, 0));
  OK(d->cuLaunchHostFunc(s, gate_wait, &g));
  OK(d->cuEventRecord(e, s));
  OK(d->cuStreamSynchronize(t));
  RESULT(NOT_READY, d->cuEventQuery(e));
  g.open = true;
  OK(d->cuEventSynchronize(e));
  OK(d->cuEventDestroy(e));
  OK(d->cuStreamDestroy(s));
  OK(d->cuStreamDestroy(t));
}

static void test_null_stream (void) {
  /* libcuda calls host functions one after another. */
  gate g = { 0 }, h = { .open = !on_cpu };
  diary log = { 0 };
  entry one = { &log, 1 }, two = { &log, 2 }, three = { &log, 3 };
  cu_stream s = new_stream(CU_STREAM_DEFAULT_), t = new_stream(CU_STREAM_DEFAULT_),
            free_one = new_stream(CU_STREAM_NON_BLOCKING_);
  OK(d->cuLaunchHostFunc(s, gate_wait, &g));
  OK(d->cuLaunchHostFunc(s, write_entry, &one));
  OK(d->cuLaunchHostFunc(NULL, write_entry, &two)); /* after s */
  OK(d->cuLaunchHostFunc(t, write_entry, &three));  /* after the null stream */
  OK(d->cuLaunchHostFunc(free_one, gate_wait, &h)); /* after nothing */
  if (on_cpu) await(&h.entered);
  CHECK(h.entered == on_cpu && log.n == 0);
  RESULT(NOT_READY, d->cuStreamQuery(NULL));
  RESULT(NOT_READY, d->cuStreamQuery(t));
  g.open = true;
  OK(d->cuStreamSynchronize(t));
  CHECK(log.n == 3 && log.seen[0] == 1 && log.seen[1] == 2 && log.seen[2] == 3);
  OK(d->cuStreamSynchronize(NULL));
  ON_CPU(RESULT(NOT_READY, d->cuStreamQuery(free_one)));
  h.open = true;
  OK(d->cuCtxSynchronize());
  OK(d->cuStreamQuery(free_one));
  OK(d->cuStreamDestroy(s));
  OK(d->cuStreamDestroy(t));
  OK(d->cuStreamDestroy(free_one));
}

/* Host functions of many streams run at the same time. */
static void test_many_streams (void) {
  enum { N = 40 };
  cu_stream s[N];
  gate g[N];
  memset(g, 0, sizeof g);
  for (int i = 0; i < N; i++) {
    s[i] = new_stream(CU_STREAM_NON_BLOCKING_);
    OK(d->cuLaunchHostFunc(s[i], gate_wait, &g[i]));
  }
  for (int i = 0; i < N; i++) await(&g[i].entered);
  bool all = true;
  for (int i = 0; i < N; i++) all = all && g[i].entered;
  CHECK(all);
  for (int i = N - 1; i >= 0; i--) g[i].open = true;
  for (int i = 0; i < N; i++) OK(d->cuStreamDestroy(s[i]));
}

static void call_driver (void *ud) {
  cu_deviceptr p;
  *(cu_result *)ud = d->cuMemAlloc(&p, 4);
}

static void test_host_function (void) {
  cu_result inside = 0;
  OK(d->cuLaunchHostFunc(NULL, call_driver, &inside));
  OK(d->cuStreamSynchronize(NULL));
  CHECK(inside == CU_ERR_NOT_PERMITTED);
  RESULT(INVALID_VALUE, d->cuLaunchHostFunc(NULL, NULL, NULL));
}

static void test_free_in_order (void) {
  gate g = { 0 };
  size_t before, during, after, total;
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_);
  cu_deviceptr p = device_alloc(1 << 16);
  OK(d->cuMemGetInfo(&before, &total));
  OK(d->cuLaunchHostFunc(s, gate_wait, &g));
  OK(d->cuMemFreeAsync(p, s));
  OK(d->cuMemGetInfo(&during, &total));
  CHECK(during == before);
  RESULT(INVALID_VALUE, d->cuMemFree(p));
  g.open = true;
  OK(d->cuStreamSynchronize(s));
  OK(d->cuMemGetInfo(&after, &total));
  CHECK(after >= before + (1 << 16));
  OK(d->cuStreamDestroy(s));
}

static void test_stream_properties (void) {
  int least, greatest, p = 9, capturing = 9;
  cu_stream s = NULL;
  OK(d->cuCtxGetStreamPriorityRange(&least, &greatest));
  OK(d->cuStreamCreateWithPriority(&s, 0, -100));
  OK(d->cuStreamGetPriority(s, &p));
  CHECK(p == greatest && greatest < least);
  OK(d->cuStreamIsCapturing(s, &capturing));
  CHECK(capturing == CU_CAPTURE_NONE);
  OK(d->cuStreamDestroy(s));
  RESULT(INVALID_VALUE, d->cuStreamCreateWithPriority(&s, 7, 0));
  RESULT(INVALID_HANDLE, d->cuStreamDestroy(NULL));
}

/* The waiting thread executes what it waits for. Operations queued after that are left to workers,
 * which have to be woken. */
static void test_work_after_wait (void) {
  enum { ROUNDS = 20 };
  unsigned rounds = 20000;
  bool all = true;
  cu_module m = stored_module();
  cu_function spend = function(m, "spend");
  cu_deviceptr p = device_alloc(1 << 14);
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_);
  cu_event e = new_event();
  for (int i = 0; i < ROUNDS && all; i++) {
    gate g = { .open = true };
    OK(launch1(spend, 8, 64, s, (void *[]){ &p, &rounds }));
    OK(d->cuEventRecord(e, s));
    OK(d->cuLaunchHostFunc(s, gate_wait, &g));
    OK(d->cuEventSynchronize(e));
    await(&g.entered); /* without a call to the driver */
    all = g.entered;
    OK(d->cuStreamSynchronize(s));
  }
  CHECK(all);
  /* The waiting thread does not call host functions. */
  for (int i = 0; i < ROUNDS; i++) {
    gate g = { .open = true };
    OK(launch1(spend, 8, 64, s, (void *[]){ &p, &rounds }));
    OK(d->cuLaunchHostFunc(s, gate_wait, &g));
    OK(d->cuStreamSynchronize(s));
    CHECK(g.entered);
  }
  OK(d->cuEventDestroy(e));
  OK(d->cuStreamDestroy(s));
  OK(d->cuMemFree(p));
  OK(d->cuModuleUnload(m));
}

/* Two threads record one event on different streams. The event must never combine one stream with
 * the number from the other. */
typedef struct recorder {
  cu_event e;
  cu_stream s;
} recorder;
static void *record_often (void *ud) {
  const recorder *r = ud;
  OK(d->cuCtxSetCurrent(context));
  for (int i = 0; i < 2000; i++) {
    OK(d->cuEventRecord(r->e, r->s));
    OK(d->cuEventSynchronize(r->e));
  }
  return NULL;
}

static void test_shared_event (void) {
  pthread_t t;
  cu_event e = new_event();
  recorder a = { e, new_stream(CU_STREAM_NON_BLOCKING_) },
           b = { e, new_stream(CU_STREAM_NON_BLOCKING_) };
  CHECK(pthread_create(&t, NULL, record_often, &a) == 0);
  record_often(&b);
  pthread_join(t, NULL);
  OK(d->cuStreamDestroy(a.s));
  OK(d->cuStreamDestroy(b.s));
  OK(d->cuEventDestroy(e));
}

static void test_stream_parts (void) {
  test_order();
  test_events();
  test_event_lifetime();
  test_wait_snapshot();
  test_null_stream();
  if (on_cpu) test_many_streams();
  test_host_function();
  if (on_cpu) test_free_in_order();
  test_work_after_wait();
  test_shared_event();
  test_stream_properties();
}

#endif
