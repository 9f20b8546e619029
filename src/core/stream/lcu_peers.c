/* lcu_peers.c: which devices may use the memory of which. */
#include "lcu_peers.h"

#include "lcu_device_failure.h"
#include "lcu_pool.h"
#include "lcu_scope.h"

lcu_status lcu_device_can_access (lcu_device *d, lcu_device *peer, bool *can) {
  int v = 0;
  *can = lcu_device_same_memory(d, peer);
  if (*can || d->drv != peer->drv) return lcu_process_check();
  LCU_TRY(
    lcu_device_status(d, LCU_CALL(d->drv, cuDeviceCanAccessPeer, (&v, d->handle, peer->handle))));
  *can = v != 0;
  return LCU_OK;
}

static lcu_status switch_peer (lcu_device *d, lcu_device *peer, bool enable) {
  cu_result r = enable ? d->drv->cuCtxEnablePeerAccess(peer->context, 0)
                       : d->drv->cuCtxDisablePeerAccess(peer->context);
  cu_result harmless = enable ? CU_ERR_PEER_ACCESS_ALREADY_ENABLED : CU_ERR_PEER_ACCESS_NOT_ENABLED;
  if (r == harmless) return LCU_OK;
  return lcu_driver_status(d->drv, enable ? "cuCtxEnablePeerAccess" : "cuCtxDisablePeerAccess", r);
}

_Static_assert(LCU_MAX_DEVICES <= 64, "a device is a bit of its peers' sets");
static uint_fast64_t peer_bit (const lcu_device *d) { return (uint_fast64_t)1 << d->index; }

/* Access is set for the context and for the pool separately. */
static lcu_status set_peer (lcu_device *d, lcu_device *peer, bool enable) {
  lcu_scope scope;
  LCU_TRY(lcu_device_open(peer));
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = lcu_device_status(d, switch_peer(d, peer, enable));
  lcu_device_leave(&scope);
  if (st == LCU_OK) st = lcu_pool_share(peer, d, enable);
  if (st != LCU_OK) return st;
  if (enable) atomic_fetch_or(&peer->peers.may_use, peer_bit(d));
  else atomic_fetch_and(&peer->peers.may_use, ~peer_bit(d));
  return LCU_OK;
}

lcu_status lcu_device_enable_peer (lcu_device *d, lcu_device *peer, bool enable) {
  if (lcu_device_same_memory(d, peer)) return lcu_process_check();
  LCU_TRY(set_peer(d, peer, enable));
  atomic_fetch_or(&peer->peers.set, peer_bit(d));
  return LCU_OK;
}

/* A failure here is not reported: the copy then uses another path. Access is not tried again. */
static LCU_COLD bool try_peer (lcu_device *d, lcu_device *peer) {
  bool can = false;
  atomic_fetch_or(&peer->peers.set, peer_bit(d));
  lcu_status st = lcu_device_can_access(d, peer, &can);
  if (st == LCU_OK && can) st = set_peer(d, peer, true);
  if (st != LCU_OK) lcu_failure_get()->code = LCU_OK;
  return st == LCU_OK && can;
}

bool lcu_device_reaches (lcu_device *d, lcu_device *peer) {
  if (d == peer || (atomic_load(&peer->peers.may_use) & peer_bit(d)) != 0) return true;
  if (lcu_device_same_memory(d, peer)) return true;
  if (d->drv != peer->drv || (atomic_load(&peer->peers.set) & peer_bit(d)) != 0) return false;
  return try_peer(d, peer);
}

static bool forget_peer (lcu_device *d, void *ud) {
  const uint_fast64_t *others = ud;
  atomic_fetch_and(&d->peers.may_use, *others);
  atomic_fetch_and(&d->peers.set, *others);
  return true;
}

void lcu_peers_forget (lcu_device *d) {
  atomic_store(&d->peers.may_use, 0);
  atomic_store(&d->peers.set, 0);
  uint_fast64_t others = ~peer_bit(d);
  lcu_process_each(forget_peer, &others);
}
