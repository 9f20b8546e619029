/* lcu_dlpack.h: arrays as DLPack tensors, and back. The structs are those of the DLPack
 * specification, version 1.1, and of its first form without a version.
 *
 * The contract: a tensor is consumed once, by whoever calls its deleter. An exported tensor holds
 * its block and keeps the process's devices open; its deleter may be called on any thread, also
 * after the Lua state that exported it was closed. An imported tensor's deleter is called when the
 * last reference to the block is dropped and no queued work uses the memory. */
#ifndef LCU_DLPACK_H
#define LCU_DLPACK_H

#include "lcu_block.h"
#include "lcu_dtype.h"

enum { LCU_VIEW_DIMS = 16 };

/* Elements in a block; strides and offset are in bytes. */
typedef struct lcu_view {
  lcu_block *block;
  const lcu_dtype *dtype;
  int64_t offset; /* of element {1, 1, ...} */
  int ndim;
  int64_t shape[LCU_VIEW_DIMS], strides[LCU_VIEW_DIMS];
} lcu_view;

enum { LCU_DL_CPU = 1, LCU_DL_CUDA = 2, LCU_DL_CUDA_HOST = 3, LCU_DL_CUDA_MANAGED = 13 };
enum { LCU_DL_MAJOR = 1, LCU_DL_MINOR = 1 };
enum { LCU_DL_READ_ONLY = 1 };

typedef struct lcu_dl_tensor { /* DLTensor */
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides; /* strides in elements; NULL: C order without gaps */
  uint64_t byte_offset;
} lcu_dl_tensor;

typedef struct lcu_dl_old { /* DLManagedTensor */
  lcu_dl_tensor tensor;
  void *context;
  void (*deleter)(struct lcu_dl_old *self);
} lcu_dl_old;

typedef struct lcu_dl_versioned { /* DLManagedTensorVersioned */
  uint32_t major, minor;
  void *context;
  void (*deleter)(struct lcu_dl_versioned *self);
  uint64_t flags;
  lcu_dl_tensor tensor;
} lcu_dl_versioned;

/* A managed tensor of either form. */
typedef struct lcu_dl_managed {
  void *p; /* NULL: none */
  bool versioned;
} lcu_dl_managed;

/* What else an exported tensor keeps alive, until release(ud); on any thread. */
typedef struct lcu_dl_keep {
  void (*release)(void *ud);
  void *ud;
} lcu_dl_keep;

/* Makes a tensor of the view's memory. Work queued so far on device memory precedes the work that
 * the consumer queues on `s` afterwards; host memory is waited for. `keep` is released also when
 * this fails. LCU_E_ARGUMENT: a tensor cannot describe the view. */
lcu_status lcu_dlpack_export (const lcu_view *v, lcu_stream *s, bool versioned, lcu_dl_keep keep,
                              lcu_dl_managed *out);

/* The device whose memory the tensor is in. LCU_E_ARGUMENT: there is no such device here, or the
 * tensor is of another major version. */
lcu_status lcu_dlpack_device (lcu_dl_managed m, lcu_device **out);
/* Consumes the tensor unless it fails: a view with a reference to its block. Work queued so far on
 * `s`, a stream of its device, precedes every use. A tensor of this library gives the block that it
 * was made of. LCU_E_ARGUMENT: the tensor cannot be an array. */
lcu_status lcu_dlpack_import (lcu_dl_managed m, lcu_stream *s, lcu_view *out);
/* Calls the deleter of a tensor that nothing consumed. */
void lcu_dlpack_drop (lcu_dl_managed m);
/* Its DLTensor. */
const lcu_dl_tensor *lcu_dlpack_tensor (lcu_dl_managed m);
/* Sets the type of the elements. */
void lcu_dlpack_describe (const lcu_dtype *t, lcu_dl_tensor *out);
/* Its dtype, or NULL. */
const lcu_dtype *lcu_dlpack_dtype (const lcu_dl_tensor *t);

#endif
