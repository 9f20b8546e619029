/* cpu_graph_memory.c: entry points for nodes that allocate and free, and for their memory. */
#include <string.h>

#include "cpu_config.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_graph_exec.h"
#include "cpu_memory_node.h"
#include "cpu_pool.h"

static bool is_device (cu_mem_location at) {
  return at.type == CU_LOCATION_DEVICE &&
         (at.id == 0 || (at.id > 0 && at.id < cpu_configuration.gpus));
}


/* ---- adding ---- */

static cu_result check_props (const cu_pool_props *p) {
  bool host = p->location.type != 0 && p->location.type != CU_LOCATION_DEVICE;
  if (p->alloc_type != CU_MEM_PINNED && p->alloc_type != CU_MEM_MANAGED_)
    return CU_ERR_INVALID_VALUE;
  if (host || p->handle_types != 0) return CU_ERR_NOT_SUPPORTED;
  return is_device(p->location) ? 0 : CU_ERR_INVALID_VALUE;
}

static bool is_access_valid (const cu_mem_alloc_node *p) {
  if (p->num_access > CPU_MOST_GPUS || (p->num_access > 0 && p->access == NULL)) return false;
  for (size_t i = 0; i < p->num_access; i++)
    if (!is_device(p->access[i].location) || p->access[i].flags != CU_ACCESS_BOTH) return false;
  return true;
}

/* All devices have access; the program may read back what it asked for. */
static bool keep_access (cpu_plan *plan, const cu_mem_alloc_node *p) {
  if (p->num_access == 0) return true;
  plan->access = lcu_alloc(p->num_access * sizeof *plan->access);
  if (plan->access == NULL) return false;
  memcpy(plan->access, p->access, p->num_access * sizeof *plan->access);
  plan->num_access = p->num_access;
  return true;
}

static cu_result add_memory (cu_graph_node *out, cu_graph g, const cu_graph_node *deps,
                             size_t num_deps, cu_node_type type, cpu_block *b) {
  cpu_node *n = cpu_node_new(g, type, NULL, deps, num_deps);
  if (n == NULL) {
    cpu_plan_drop(b);
    return CU_ERR_OUT_OF_MEMORY;
  }
  cpu_node_give_memory(n, b);
  *out = n;
  return 0;
}

cu_result cpu_node_add_alloc (const char *call, cu_graph_node *out, cu_graph g,
                              const cu_graph_node *deps, size_t num_deps, cu_mem_alloc_node *p) {
  cpu_block *b;
  if (p == NULL || p->bytes == 0 || !is_access_valid(p)) return CU_ERR_INVALID_VALUE;
  cu_result r = check_props(&p->props);
  if (r != 0) return r;
  cpu_kind kind = p->props.alloc_type == CU_MEM_PINNED ? CPU_MEM_DEVICE : CPU_MEM_MANAGED;
  r = cpu_plan_new(call, p->bytes, kind, p->props.location.id, &b);
  if (r != 0) return r;
  if (!keep_access(b->plan, p)) {
    cpu_plan_drop(b);
    return CU_ERR_OUT_OF_MEMORY;
  }
  r = add_memory(out, g, deps, num_deps, CU_NODE_MEM_ALLOC, b);
  if (r == 0) p->address = b->base;
  return r;
}

cu_result cpu_node_add_free (const char *call, cu_graph_node *out, cu_graph g,
                             const cu_graph_node *deps, size_t num_deps, cu_deviceptr address) {
  cpu_block *b;
  cu_result r = cpu_node_check_free(call, g, address, &b);
  return r != 0 ? r : add_memory(out, g, deps, num_deps, CU_NODE_MEM_FREE, b);
}


/* ---- describing ---- */

/* The lock is held afterwards if the result is 0. */
static cu_result enter_node (cu_graph_node node, cu_node_type type, const void *out) {
  cu_result r = cpu_graph_enter(CPU_NODE, node);
  if (r != 0) return r;
  return node->type == type && out != NULL ? 0 : cpu_graph_leave(CU_ERR_INVALID_VALUE);
}

cu_result cpu_cuGraphMemAllocNodeGetParams (cu_graph_node node, cu_mem_alloc_node *p) {
  cu_result r = enter_node(node, CU_NODE_MEM_ALLOC, p);
  if (r != 0) return r;
  const cpu_block *b = node->memory;
  *p = (cu_mem_alloc_node){
    .props = { .alloc_type = b->kind == CPU_MEM_DEVICE ? CU_MEM_PINNED : CU_MEM_MANAGED_,
               .location = { CU_LOCATION_DEVICE, b->pool->device } },
    .access = b->plan->access,
    .num_access = b->plan->num_access,
    .bytes = b->size,
    .address = b->base,
  };
  return cpu_graph_leave(0);
}

cu_result cpu_cuGraphMemFreeNodeGetParams (cu_graph_node node, cu_deviceptr *address) {
  cu_result r = enter_node(node, CU_NODE_MEM_FREE, address);
  if (r != 0) return r;
  *address = node->memory->base;
  return cpu_graph_leave(0);
}


/* ---- the memory of a device's graphs ---- */

/* The pool, with the map's lock held if the result is 0. */
static cu_result enter_pool (cu_device dev, cpu_pool **pool) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (!is_device((cu_mem_location){ CU_LOCATION_DEVICE, dev })) return CU_ERR_INVALID_DEVICE;
  cpu_map_lock();
  *pool = cpu_pool_of_graphs(dev);
  return 0;
}

cu_result cpu_cuDeviceGraphMemTrim (cu_device dev) {
  cpu_pool *p;
  cu_result r = enter_pool(dev, &p);
  if (r != 0) return r;
  cpu_pool_trim(p, 0);
  cpu_map_unlock();
  return 0;
}

/* What graphs have taken counts as used until it is trimmed, as with libcuda. */
cu_result cpu_cuDeviceGetGraphMemAttribute (cu_device dev, int attr, void *value) {
  cpu_pool *p;
  if (value == NULL || attr < CU_GRAPH_MEM_USED_CURRENT || attr > CU_GRAPH_MEM_RESERVED_HIGH)
    return CU_ERR_INVALID_VALUE;
  cu_result r = enter_pool(dev, &p);
  if (r != 0) return r;
  bool high = attr == CU_GRAPH_MEM_USED_HIGH || attr == CU_GRAPH_MEM_RESERVED_HIGH;
  *(uint64_t *)value = high ? p->reserved_high : p->reserved;
  cpu_map_unlock();
  return 0;
}

/* The only value that can be set is 0, which resets a high-water mark. */
cu_result cpu_cuDeviceSetGraphMemAttribute (cu_device dev, int attr, void *value) {
  cpu_pool *p;
  if (value == NULL || *(const uint64_t *)value != 0 ||
      (attr != CU_GRAPH_MEM_USED_HIGH && attr != CU_GRAPH_MEM_RESERVED_HIGH))
    return CU_ERR_INVALID_VALUE;
  cu_result r = enter_pool(dev, &p);
  if (r != 0) return r;
  p->reserved_high = p->reserved;
  cpu_map_unlock();
  return 0;
}
