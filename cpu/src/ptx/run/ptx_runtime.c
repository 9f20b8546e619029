/* ptx_runtime.c: functions that modules may call without defining them: printf, assert, malloc,
 * free, cudaGraphSetConditional and the memory functions of C. They work lane by lane on the
 * calling fragment. */
#include "ptx_runtime.h"

#include "ptx_call.h"
#include "ptx_fault.h"
#include "ptx_memory.h"

#include <stdio.h>
#include <string.h>

enum { MAX_TEXT = 1 << 20, STEP = 64 };

/* ---- text in a lane's memory */

/* Reads up to the NUL, one byte at a time: the text may end where its allocation does. */
static bool read_text (ptx_warp *w, uint32_t lane, uint64_t address, size_t limit, lcu_buf *out) {
  for (size_t n = 0; n < limit; n++) {
    char ch;
    if (!ptx_memory_read(w, PTX_GENERIC, lane, address + n, &ch, 1)) return false;
    if (ch == '\0') break;
    lcu_buf_add(out, &ch, 1);
  }
  lcu_buf_add(out, "", 1);
  return !out->failed;
}

/* ---- vprintf (format, arguments) */

typedef struct print_lane {
  ptx_warp *w;
  uint32_t lane;
  uint64_t arguments;
} print_lane;

static bool read_argument (void *ud, uint32_t offset, void *out, uint32_t bytes) {
  print_lane *p = ud;
  return ptx_memory_read(p->w, PTX_GENERIC, p->lane, p->arguments + offset, out, bytes);
}

static bool read_string (void *ud, uint64_t address, size_t limit, lcu_buf *out) {
  print_lane *p = ud;
  return read_text(p->w, p->lane, address, limit < MAX_TEXT ? limit : MAX_TEXT, out);
}

/* The memory check that found a bad pointer does not know that it was printf's. */
static bool print_fault (ptx_warp *w) {
  char detail[sizeof w->fault.detail];
  snprintf(detail, sizeof detail, "an argument of printf cannot be read at 0x%llx (%s)",
           (unsigned long long)w->fault.address, ptx_fault_kind_name(w->fault.kind));
  memcpy(w->fault.detail, detail, sizeof detail);
  w->fault.kind = PTX_FAULT_PRINTF;
  return false;
}

static bool print_one (const ptx_call *c, uint32_t lane, const char *format, lcu_buf *out) {
  print_lane p = { &c->x->w, lane, ptx_call_value(c, 1, lane) };
  ptx_format_source source = { &p, read_argument, read_string };
  int n = ptx_format(out, format, &source);
  if (n < 0) return false;
  ptx_call_return(c, lane, (uint64_t)(int64_t)n);
  return true;
}

static bool call_vprintf (const ptx_call *c) {
  ptx_warp *w = &c->x->w;
  lcu_buf out = { 0 }, format = { 0 };
  uint64_t have = 0;
  bool ok = true;
  for (uint32_t m = c->mask; m != 0 && ok; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    uint64_t address = ptx_call_value(c, 0, lane);
    /* lanes nearly always use the same format */
    if (format.data == NULL || address != have) {
      format.len = 0;
      ok = read_text(w, lane, address, MAX_TEXT, &format);
      have = address;
    }
    ok = ok && print_one(c, lane, format.data, &out);
  }
  if (out.len > 0 && w->host->print != NULL) w->host->print(w->host->ud, out.data, out.len);
  lcu_buf_free(&format);
  lcu_buf_free(&out);
  return ok || print_fault(w);
}

/* ---- __assertfail (expression, file, line, function, char size) */

static void text_or (ptx_warp *w, uint32_t lane, uint64_t address, lcu_buf *out,
                     const char *fallback) {
  if (read_text(w, lane, address, MAX_TEXT, out)) return;
  out->len = 0;
  lcu_buf_adds(out, fallback);
}

static bool call_assertfail (const ptx_call *c) {
  ptx_warp *w = &c->x->w;
  uint32_t lane = ptx_first_lane(c->mask);
  lcu_buf expression = { 0 }, file = { 0 }, function = { 0 };
  text_or(w, lane, ptx_call_value(c, 0, lane), &expression, "?");
  text_or(w, lane, ptx_call_value(c, 1, lane), &file, "?");
  text_or(w, lane, ptx_call_value(c, 3, lane), &function, "?");
  ptx_fault_set(c->x, lane, PTX_FAULT_ASSERT, "%s\n%u\n%s\n%s", file.data,
                (uint32_t)ptx_call_value(c, 2, lane), function.data, expression.data);
  lcu_buf_free(&expression);
  lcu_buf_free(&file);
  lcu_buf_free(&function);
  return false;
}

/* ---- malloc, free */

static bool call_malloc (const ptx_call *c) {
  const ptx_host *host = c->x->w.host;
  for (uint32_t m = c->mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    void *p =
      host->heap_alloc == NULL ? NULL : host->heap_alloc(host->ud, ptx_call_value(c, 0, lane));
    ptx_call_return(c, lane, (uint64_t)(uintptr_t)p);
  }
  return true;
}

static bool call_free (const ptx_call *c) {
  ptx_warp *w = &c->x->w;
  memset(w->last, 0, sizeof w->last); /* one of them may be the freed one */
  for (uint32_t m = c->mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    uint64_t address = ptx_call_value(c, 0, lane);
    if (address == 0 || (w->host->heap_free != NULL && w->host->heap_free(w->host->ud, address)))
      continue;
    ptx_fault_set(c->x, lane, PTX_FAULT_FREE,
                  "free of 0x%llx, which malloc did not return or which was freed before",
                  (unsigned long long)address);
    w->fault.address = address;
    return false;
  }
  return true;
}

/* ---- memcpy, memmove, memset */

static bool copy_piece (ptx_warp *w, uint32_t lane, uint64_t to, const void *bytes, uint32_t n) {
  /* local memory is contiguous only by the word */
  for (uint32_t k = 0; k < n; k++) {
    uint8_t *p = ptx_memory_at(w, PTX_GENERIC, lane, to + k, 1, true);
    if (p == NULL) return false;
    *p = ((const uint8_t *)bytes)[k];
  }
  w->stored = 1;
  return true;
}

static bool copy_lane (const ptx_call *c, uint32_t lane, uint64_t to, uint64_t from,
                       uint64_t size) {
  ptx_warp *w = &c->x->w;
  uint8_t piece[STEP];
  bool backward = to > from && to - from < size;
  for (uint64_t done = 0; done < size;) {
    uint32_t n = size - done < STEP ? (uint32_t)(size - done) : STEP;
    uint64_t at = backward ? size - done - n : done;
    if (!ptx_memory_read(w, PTX_GENERIC, lane, from + at, piece, n) ||
        !copy_piece(w, lane, to + at, piece, n))
      return false;
    done += n;
  }
  return true;
}

static bool call_memcpy (const ptx_call *c) {
  for (uint32_t m = c->mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    if (!copy_lane(c, lane, ptx_call_value(c, 0, lane), ptx_call_value(c, 1, lane),
                   ptx_call_value(c, 2, lane)))
      return false;
    ptx_call_return(c, lane, ptx_call_value(c, 0, lane));
  }
  return true;
}

static bool call_memset (const ptx_call *c) {
  uint8_t piece[STEP];
  for (uint32_t m = c->mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    uint64_t to = ptx_call_value(c, 0, lane), size = ptx_call_value(c, 2, lane);
    memset(piece, (int)(uint8_t)ptx_call_value(c, 1, lane), sizeof piece);
    for (uint64_t done = 0; done < size; done += STEP) {
      uint32_t n = size - done < STEP ? (uint32_t)(size - done) : STEP;
      if (!copy_piece(&c->x->w, lane, to + done, piece, n)) return false;
    }
    ptx_call_return(c, lane, to);
  }
  return true;
}

/* ---- cudaGraphSetConditional (handle, value) */

static bool call_set_condition (const ptx_call *c) {
  const ptx_host *host = c->x->w.host;
  for (uint32_t m = c->mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    uint64_t handle = ptx_call_value(c, 0, lane);
    if (host->set_condition != NULL &&
        host->set_condition(host->ud, handle, (uint32_t)ptx_call_value(c, 1, lane)))
      continue;
    return ptx_fault_set(
      c->x, lane, PTX_FAULT_OUT_OF_BOUNDS,
      "cudaGraphSetConditional of 0x%llx, which is not the handle of a condition",
      (unsigned long long)handle);
  }
  return true;
}

/* ---- the table */

static const struct {
  const char *name;
  ptx_call_fn run;
} functions[] = { { "vprintf", call_vprintf }, { "__assertfail", call_assertfail },
                  { "malloc", call_malloc },   { "free", call_free },
                  { "memcpy", call_memcpy },   { "memmove", call_memcpy },
                  { "memset", call_memset },   { "cudaGraphSetConditional", call_set_condition } };

static ptx_call_fn find (const char *name) {
  for (size_t k = 0; k < lcu_arraylen(functions); k++)
    if (strcmp(functions[k].name, name) == 0) return functions[k].run;
  return ptx_device_runtime_find(name);
}

bool ptx_runtime_has (const char *name) { return find(name) != NULL; }

bool ptx_runtime_call (ptx_xwarp *x, uint32_t i, const ptx_function *f) {
  const ptx_fragment fragment = x->frags[i];
  const ptx_call c = { x, fragment.frame, fragment.pc->extra->inst, fragment.mask };
  ptx_call_fn run = find(f->name);
  if (run == NULL)
    return ptx_fault_set(
      x, ptx_first_lane(fragment.mask), PTX_FAULT_UNSUPPORTED,
      "function `%s` is not defined by the module, nor a supported runtime function", f->name);
  if (!run(&c)) return false;
  ptx_fragment_move(x, i, fragment.pc + 1);
  return true;
}
