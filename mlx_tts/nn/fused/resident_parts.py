"""What a stack in one launch is made of, around its phases: groups of threads meet, and bring weights to shared memory.

For CUDA; the other branches are the same for tests, by a group's threads and without a hurry.
"""

from __future__ import annotations

from mlx_tts.nn.fused import rows_product

FUNCTIONS = (
    rows_product.FUNCTIONS
    + """
#ifdef __CUDA_ARCH__
INLINE uint32_t count_up(uint32_t* counter) {
  uint32_t before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
  return before;
}
INLINE void copies_follow() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
INLINE void all_meet(uint32_t* counter, uint32_t expected, int tid) {
  __syncthreads();
  if (tid == 0) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
    uint32_t seen = 0u;
    for (int reading = 0; seen < expected; reading++) {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
      if (reading > STUCK) __trap();
    }
  }
  __syncthreads();
}
INLINE uint32_t place_of(const void* shared) { return (uint32_t)__cvta_generic_to_shared(shared); }
#define FROM_OTHERS(x) __ldcg(&(x))
#else
INLINE uint32_t count_up(DEVICE uint32_t* counter) { return groups_count(counter); }
INLINE void copies_follow() {}
INLINE void all_meet(DEVICE uint32_t* counter, uint32_t expected, int tid) {
  BARRIER();
  if (tid == 0) groups_meet(counter, expected);
  BARRIER();
}
#define FROM_OTHERS(x) (x)
#endif
// A gate opens when all bytes that it expects have come. In bulk, the copies are nobody's to wait for until then.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define COPIERS 32
INLINE void make_gate(uint64_t* gate) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(gate)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
INLINE void expect(uint64_t* gate, int bytes, int tid) {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (tid == 0)
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place_of(gate)), "r"(bytes) : "memory");
  __syncwarp();
}
INLINE void copy_row(char* to, const bfloat_t* from, int bytes, int at, uint64_t* gate) {
  if (at == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     place_of(to)),
                 "l"(from), "r"(bytes), "r"(place_of(gate))
                 : "memory");
}
INLINE void call_for(const bfloat_t* from, int bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}
INLINE void pass_gate(uint64_t* gate, uint32_t parity) {
  uint32_t open = 0u;
  while (open == 0u)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(open)
        : "r"(place_of(gate)), "r"(parity)
        : "memory");
}
#else
#define COPIERS THREADS
INLINE void make_gate(THREAD uint64_t*) {}
INLINE void expect(THREAD uint64_t*, int, int) {}
INLINE void call_for(const DEVICE bfloat_t*, int) {}
INLINE void copy_row(THREAD char* to, const DEVICE bfloat_t* from, int bytes, int at, THREAD uint64_t*) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place_of(to + at * 16)), "l"(from + at * 8));
#else
  std::memcpy(to + at * 16, from + at * 8, 16);
#endif
}
INLINE void pass_gate(THREAD uint64_t*, uint32_t) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  BARRIER();
}
#endif
// A group's share of a matrix: every `blocks`th tile of 8 rows (and of 8 more, where two halves are multiplied).
template <int LENGTH, int HALVES, int WIDTH, int TILES_OF_ALL, int FIT>
INLINE void stage(
    const DEVICE bfloat_t* w, THREAD char* to, THREAD uint64_t* gate, int block, int blocks, int tid) {
  if (tid >= COPIERS) return;
  const int pieces = COPIERS == 32 ? 1 : LENGTH / 8;
  const int own = (TILES_OF_ALL - block + blocks - 1) / blocks;
  expect(gate, (own < FIT ? own : FIT) * HALVES * 8 * LENGTH * 2, tid);
  for (int i = tid; i < own * HALVES * 8 * pieces; i += COPIERS) {
    const int row = i / pieces;
    const int tile = row / (HALVES * 8);
    const int n = (block + tile * blocks) * 8 + row % 8;
    const DEVICE bfloat_t* from = w + (int64_t)((n < WIDTH ? n : WIDTH - 1) + row / 8 % HALVES * WIDTH) * LENGTH;
    if (tile < FIT) copy_row(to + row * (LENGTH * 2 + PADDING), from, LENGTH * 2, i % pieces, gate);
    else if (i % pieces == 0) call_for(from, LENGTH * 2);
  }
}
"""
)


BEGIN = """
    const int block = group_x;
    const int blocks = groups_x;
    const int all_rows = entered_shape[0];
    DEVICE uint32_t* meeting = (DEVICE uint32_t*)counters;
    uint32_t expected = 0u;
#ifdef __CUDA_ARCH__
    extern __shared__ uint4 shared_bytes[];
#else
    SHARED(uint4, shared_bytes, SHARED_BYTES / 16);
#endif
    THREAD uint64_t* gates = (THREAD uint64_t*)shared_bytes;
    THREAD char* pool = (THREAD char*)shared_bytes + GATE_BYTES;
    THREAD int* said = (THREAD int*)pool;
    if (tid == 0) {  // what the host said lies in its own memory: one reading a group, not one a warp and layer
      make_gate(gates);
      make_gate(gates + 1);
      said[0] = asked[0];
#ifdef CACHED
      said[1] = offset[0];
      said[2] = PROMPT ? offset[1] : 0;
#endif
    }
    BARRIER();
    const int layers = said[0];
    const int columns_before = said[1];
    const int capacity_asked = said[2];
    (void)columns_before; (void)capacity_asked;
    BARRIER();
#undef SHARED
#define SHARED(type, name, count) THREAD type* name = (THREAD type*)(pool + used); used += ((count) * 4 + 15) / 16 * 16
"""
ATTENTION_SIZES = """
    const int capacity_of_all = kv_0_shape[3];
    const int batch = kv_0_shape[1];
    const int seen_columns = columns_before + NEW;
    int part_columns = FEW_COLUMNS;
    if (batch * KV_HEADS * ((seen_columns + FEW_COLUMNS - 1) / FEW_COLUMNS) > 4 * blocks) part_columns = MANY_COLUMNS;
    const int parts_used = IN_PARTS ? (seen_columns + part_columns - 1) / part_columns : 1;
    const int kv_shape[4] = {2, batch, KV_HEADS, capacity_of_all};
"""
# The counters are left as they were found: nobody reads them any more when the last group comes.
END = """
    if (tid == 0 && count_up(meeting + 1) == (uint32_t)(blocks - 1)) {
      meeting[0] = 0u;
      meeting[1] = 0u;
    }
"""
MEET = """
      expected += (uint32_t)blocks;
      all_meet(meeting, expected, tid);
"""
CALL_FOR_COLUMNS = """
      for (int i = block + blocks * tid; columns_before > 0 && i < 2 * batch * KV_HEADS; i += blocks * THREADS)
        call_for(kv[layer] + (int64_t)i * capacity_of_all * HEAD_DIM, columns_before * HEAD_DIM * 2);
"""
