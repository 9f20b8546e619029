/* ptx_peer.h: storage of addresses in the shared memory of a cluster. */
#ifndef PTX_PEER_H
#define PTX_PEER_H

#include "ptx_memory.h"

/* Storage of an offset in the window of shared memory, in this block or another one of the cluster;
 * NULL, without a fault, unless all `bytes` are in one that has not ended. */
static inline uint8_t *ptx_peer_at (const ptx_warp *w, uint64_t offset, uint64_t bytes) {
  if (lcu_likely(offset < PTX_PEER_BYTES)) return ptx_shared_at(w, offset, bytes);
  uint64_t rank = offset / PTX_PEER_BYTES - 1, at = offset % PTX_PEER_BYTES;
  bool there = rank < w->num_peers && *w->peers[rank].alive != 0 && at >= w->shared_from &&
               at + bytes <= w->shared_end;
  return there ? w->peers[rank].shared + at : NULL;
}

#endif
