// A whole stack in one launch, around its phases: see persistent_text.py. For CUDA; the other branches are the same for
// tests, by a group's threads and without hurry.

#include "rows_product.h"

#ifdef __CUDA_ARCH__
INLINE uint32_t count_up(uint32_t* counter) {
  uint32_t before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
  return before;
}
// Those that compute: the warp that brings weights goes its own way.
#define WARPS_MEET() asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory")
INLINE void wait_at_grid_barrier(uint32_t* counter, uint32_t expected, int tid) {
  WARPS_MEET();
  if (tid == 0) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
    uint32_t seen = 0u;
    for (int reading = 0; seen < expected; reading++) {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
      if (reading > STUCK) __trap();
    }
  }
  WARPS_MEET();
}
INLINE uint32_t place_of(const void* shared) { return (uint32_t)__cvta_generic_to_shared(shared); }
#define FROM_OTHERS(x) __ldcg(&(x))
#else
INLINE uint32_t count_up(DEVICE uint32_t* counter) { return groups_count(counter); }
#define WARPS_MEET() warps_meet(WARPS)
INLINE void wait_at_grid_barrier(DEVICE uint32_t* counter, uint32_t expected, int tid) {
  WARPS_MEET();
  if (tid == 0) groups_meet(counter, expected);
  WARPS_MEET();
}
#define FROM_OTHERS(x) (x)
#endif
// A slot has two gates: one opens when its weights have come, one when all warps have used them. A GPU that cannot copy
// in bulk reads the weights where they are.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define RINGED 1
#else
#define RINGED 0
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
INLINE void make_gate(uint64_t* gate, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place_of(gate)), "r"(arrivals) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
INLINE void expect(uint64_t* gate, int bytes, int lane) {
  if (lane == 0)
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place_of(gate)), "r"(bytes) : "memory");
  __syncwarp();
}
INLINE void copy_row(char* to, const bfloat_t* from, int bytes, uint64_t* gate) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place_of(to)),
      "l"(from), "r"(bytes), "r"(place_of(gate))
      : "memory");
}
INLINE void call_for(const bfloat_t* from, int bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}
INLINE void pass_gate(uint64_t* gate, uint32_t parity) {
  uint32_t open = 0u;
  while (open == 0u)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(open)
                 : "r"(place_of(gate)), "r"(parity)
                 : "memory");
}
INLINE void used(uint64_t* gate, int lane) {
  __syncwarp();
  if (lane == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place_of(gate)) : "memory");
}
#elif defined(__CUDA_ARCH__)
INLINE void make_gate(uint64_t*, int) {}
INLINE void expect(uint64_t*, int, int) {}
INLINE void call_for(const bfloat_t*, int) {}
INLINE void copy_row(char*, const bfloat_t*, int, uint64_t*) {}
INLINE void pass_gate(uint64_t*, uint32_t) {}
INLINE void used(uint64_t*, int) {}
#else
INLINE void make_gate(THREAD uint64_t* gate, int arrivals) { gate_make(gate, arrivals); }
INLINE void expect(THREAD uint64_t* gate, int, int lane) {}
INLINE void call_for(const DEVICE bfloat_t*, int) {}
INLINE void copy_row(THREAD char* to, const DEVICE bfloat_t* from, int bytes, THREAD uint64_t*) {
  std::memcpy(to, from, bytes);
}
INLINE void pass_gate(THREAD uint64_t* gate, uint32_t parity) { gate_wait(gate, parity); }
INLINE void used(THREAD uint64_t* gate, int lane) { gate_arrive(gate, lane); }
#endif
// A group's share of a product's weights: every `blocks`th tile of 8 rows, of each half that is multiplied, a slice of
// the columns after the other. Whole rows lie behind each other and are one copy; so few copies matter, because each
// keeps the group from its other memory for a moment. A tile too many is empty.
template <int LENGTH, int HALVES, int WIDTH, int TILES_OF_ALL, int PASSES, int TOGETHER, int SLICE, int SLOTS,
          int SLOT_BYTES>
INLINE void bring(const DEVICE bfloat_t* w, THREAD char* slots, THREAD uint64_t* gates, THREAD int& slot,
                  THREAD uint32_t& parity, int block, int blocks, int lane) {
  for (int pass = 0; pass < PASSES; pass++) {
    for (int column = 0; column < LENGTH; column += SLICE) {
      for (int i = 0; i < TOGETHER * HALVES; i++) {
        const int tile = block + (pass * TOGETHER + i / HALVES) * blocks;
        const int rows = tile >= TILES_OF_ALL ? 0 : WIDTH - tile * 8 < 8 ? WIDTH - tile * 8 : 8;
        THREAD uint64_t* here = gates + slot;
        pass_gate(here + MOST_SLOTS, parity);
        expect(here, rows * SLICE * 2, lane);
        const DEVICE bfloat_t* from = w + (int64_t)(tile * 8 + i % HALVES * WIDTH) * LENGTH + column;
        if (SLICE == LENGTH) {
          if (lane == 0 && rows > 0) copy_row(slots + slot * SLOT_BYTES, from, rows * SLICE * 2, here);
        } else if (lane < rows) {
          copy_row(slots + slot * SLOT_BYTES + lane * (SLICE * 2 + PADDING), from + lane * LENGTH, SLICE * 2, here);
        }
#ifndef __CUDA_ARCH__
        used(here, lane);
#endif
        slot++;
        if (slot == SLOTS) {
          slot = 0;
          parity ^= 1u;
        }
      }
    }
  }
}
#ifdef __CUDA_ARCH__
// MLX writes `__global__ void` right behind: the compiler then fits the registers to so many threads.
#undef __global__
#define __global__ __attribute__((global)) __attribute__((launch_bounds(THREADS + 32)))
#endif

PART(begin) {
  const int block = group_x;
  const int blocks = groups_x;
  const int all_rows = entered_shape[0];
  DEVICE uint32_t* barrier_counter = (DEVICE uint32_t*)counters;
  uint32_t expected = 0u;
#ifdef __CUDA_ARCH__
  extern __shared__ uint4 shared_bytes[];
#else
  SHARED(uint4, shared_bytes, SHARED_BYTES / 16);
#endif
  THREAD uint64_t* gates = (THREAD uint64_t*)shared_bytes;
  THREAD char* pool = (THREAD char*)shared_bytes + GATE_BYTES;
  THREAD int* said = (THREAD int*)pool;
  if (tid < 2 * MOST_SLOTS) make_gate(gates + tid, tid < MOST_SLOTS ? 1 : WARPS);
  if (tid == 0) {  // what the host said lies in its own memory: one reading a group, not one a warp and layer
    said[0] = asked[0];
    said[3] = asked[1];
#ifdef CACHED
    said[1] = offset[0];
    said[2] = PROMPT ? offset[1] : 0;
#endif
  }
}

PART(numbers_read) {
  BARRIER();
  const int layers = said[0];
  const int columns_before = said[1];
  const int capacity_asked = said[2];
  const int steps = said[3];
  (void)columns_before;
  (void)capacity_asked;
  (void)steps;
}

// RoPE's cosines and sines of all positions, once for all layers. TURNERS: the threads that compute them.
PART(turns) {
  for (int i = tid; i < all_rows * (HEAD_DIM / 2); i += TURNERS) {
    const int l = i / (HEAD_DIM / 2);
    const int p = i % (HEAD_DIM / 2);
    const float angle = (float)(columns_before + l % NEW - start[l / NEW]) * (1.0f / periods[p]);
    turns[l * HEAD_DIM + p] = COS(angle);
    turns[l * HEAD_DIM + HEAD_DIM / 2 + p] = SIN(angle);
  }
}

PART(begun) {
  BARRIER();
#undef BARRIER
#define BARRIER() WARPS_MEET()
#undef SHARED
#define SHARED(type, name, count)                  \
  THREAD type* name = (THREAD type*)(pool + used); \
  used += ((count) * 4 + 15) / 16 * 16
}

PART(attention_sizes) {
  const int capacity_of_all = kv_0_shape[3];
  const int batch = kv_0_shape[1];
  const int seen_columns = columns_before + NEW;
  int part_columns = FEW_COLUMNS;
  if (batch * KV_HEADS * ((seen_columns + FEW_COLUMNS - 1) / FEW_COLUMNS) > 4 * blocks) part_columns = MANY_COLUMNS;
  const int parts_used = IN_PARTS ? (seen_columns + part_columns - 1) / part_columns : 1;
  const int kv_shape[4] = {2, batch, KV_HEADS, capacity_of_all};
}

// The counters are left as they were found: nobody reads them any more when the last group comes.
PART(end) {
  if (tid == 0 && count_up(barrier_counter + 1) == (uint32_t)(blocks - 1)) {
    barrier_counter[0] = 0u;
    barrier_counter[1] = 0u;
  }
}

PART(grid_barrier) {
  expected += (uint32_t)blocks;
  wait_at_grid_barrier(barrier_counter, expected, tid);
}

PART(prefetch_columns) {
  for (int i = block + blocks * tid; columns_before > 0 && i < 2 * batch * KV_HEADS; i += blocks * THREADS)
    call_for(kv[layer] + (int64_t)i * capacity_of_all * HEAD_DIM, columns_before * HEAD_DIM * 2);
}

// A product with weights out of the ring, by the matrix units. Every warp takes a share of each chunk's columns, and
// the rows are read once for all tiles that are added up together.
PART(product) {
  const int rows = all_rows;
  for (int pass = 0; pass < PASSES; pass++) {
    float sums[TOGETHER * TILES * PARTS * 4];
    UNROLL for (int i = 0; i < TOGETHER * TILES * PARTS * 4; i++) sums[i] = 0.0f;
    float squares[TILES * 2];
    UNROLL for (int i = 0; i < TILES * 2; i++) squares[i] = 0.0f;
    uint4 raw[STEPS * EIGHTS];  // of the slice behind, where there are registers: read while one is multiplied
    uint4 of_norm[NORMED ? STEPS : 1];
    (void)of_norm;
#define RAW(r) raw[step * EIGHTS + (r)]
#define GAINS of_norm[step]
    auto read_ahead = [&](int slice) {
      UNROLL for (int step = 0; step < STEPS; step++) {
        const int at = ((slice * STEPS + step) * WARPS + warp) * 4 + part;  // 16 bytes of a row

        INSERT(rows_product, read_rows)
      }
    };
    if (AHEAD) read_ahead(0);
    for (int slice = 0; slice < COLUMNS / SLICE; slice++) {
      if (!AHEAD) read_ahead(slice);
      uint32_t of_rows[STEPS * TILES * 8];
      UNROLL for (int step = 0; step < STEPS; step++) {
        INSERT(rows_product, take_rows)

        UNROLL for (int i = 0; i < TILES * 8; i++) of_rows[step * TILES * 8 + i] = inputs[i];
      }
      if (AHEAD && slice + 1 < COLUMNS / SLICE) read_ahead(slice + 1);
#undef RAW
#undef GAINS
      UNROLL for (int i = 0; i < TOGETHER * PARTS; i++) {
        const int tile = block + (pass * TOGETHER + i / PARTS) * blocks;
        const int p = i % PARTS;
        const THREAD char* chunk = slots + slot * SLOT_BYTES;
        (void)chunk;
        (void)p;
        pass_gate(gates + slot, parity);
        if (tile < TILES_OF_ALL) {
          UNROLL for (int step = 0; step < STEPS; step++) {
#if RINGED
            const int from = place * PITCH + ((step * WARPS + warp) * 4 + part) * 16;
            const uint4 four = *(const THREAD uint4*)(chunk + from);
#else
            const int n = tile * 8 + place < WIDTH ? tile * 8 + place : WIDTH - 1;
            const int from = ((slice * STEPS + step) * WARPS + warp) * 4 + part;
            const uint4 four = ((const DEVICE uint4*)w)[(int64_t)(n + p * WIDTH) * (COLUMNS / 8) + from];
#endif
            const uint32_t weights[4] = {four.x, four.y, four.z, four.w};
            UNROLL for (int t = 0; t < TILES; t++) {
              UNROLL for (int half = 0; half < 2; half++) {
                const THREAD uint32_t* own = of_rows + (step * TILES + t) * 8;
                uint32_t a[4];
                a[0] = own[2 * half];
                a[1] = own[4 + 2 * half];
                a[2] = own[2 * half + 1];
                a[3] = own[4 + 2 * half + 1];
                multiply_tile(sums + ((i / PARTS * TILES + t) * PARTS + p) * 4, a, weights + 2 * half, lane);
              }
            }
          }
        }
        used(gates + MOST_SLOTS + slot, lane);
        slot++;
        if (slot == SLOTS) {
          slot = 0;
          parity ^= 1u;
        }
      }
    }
    int used = 0;
    SHARED(float, lengths, WARPS * TILES * 16);
#if NORMED
    UNROLL for (int r = 0; r < EIGHTS; r++) {
      float square = squares[r];
      square += SHUFFLE_XOR(square, 1);
      square += SHUFFLE_XOR(square, 2);
      if (part == 0) lengths[warp * TILES * 16 + r * 8 + place] = square;
    }
#endif
    SHARED(float, shares, AT_ONCE * PARTS * EIGHTS * 2 * WARPS * 32);
    UNROLL for (int begin = 0; begin < TOGETHER; begin += AT_ONCE) {
      UNROLL for (int i = 0; i < AT_ONCE * PARTS * EIGHTS * 2; i++) {
        const int tile = (begin + i / (PARTS * EIGHTS * 2)) * TILES + i / 2 % EIGHTS / 2;
        const int number = i / 2 % EIGHTS % 2 * 2 + i % 2;
        shares[(i * WARPS + warp) * 32 + lane] = sums[(tile * PARTS + i / (EIGHTS * 2) % PARTS) * 4 + number];
      }
      BARRIER();
      ROLLED
      for (int which = tid; which < AT_ONCE * EIGHTS * 8 * 8; which += THREADS) {
        const int i = which / (EIGHTS * 8 * 8);
        const int tile = block + (pass * TOGETHER + begin + i) * blocks;
        const int row = which / 8 % (EIGHTS * 8);
        const int n = tile * 8 + which % 8;
        if (tile < TILES_OF_ALL && row < all_rows && n < WIDTH) {
          const int from = (row % 8) * 4 + which % 8 / 2;
          float values[PARTS];
          UNROLL for (int p = 0; p < PARTS; p++) {
            const int first = ((i * PARTS + p) * EIGHTS + row / 8) * 2 + which % 2;
            values[p] = 0.0f;
            UNROLL for (int other = 0; other < WARPS; other++) values[p] += shares[(first * WARPS + other) * 32 + from];
          }
#if NORMED
          float square = 0.0f;
          UNROLL for (int other = 0; other < WARPS; other++) square += lengths[other * TILES * 16 + row];
          const float gain = RSQRT(square / (float)COLUMNS + FLOAT_OF_BITS(EPSILON));
          UNROLL for (int p = 0; p < PARTS; p++) values[p] *= gain;
#endif
#if BIASED
          values[0] += (float)bias[n];
#endif
#if PARTS == 2
          to[row * WIDTH + n] = (value_t)(values[0] / (1.0f + EXP(-values[0])) * values[1]);
#elif ADDED
          to[row * WIDTH + n] = (value_t)((float)residual[row * WIDTH + n] + values[0]);
#else
          to[row * WIDTH + n] = (value_t)values[0];
#endif
        }
      }
      BARRIER();
    }
  }
}
