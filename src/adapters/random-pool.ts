import type { Random } from '../core/shared/platform.ts';

const POOL_BYTES = 4_096;
/** Larger requests do not use the pool. */
const SMALL_BYTES = 512;

/**
 * Makes a function that writes secure random bytes into a buffer, as `Random.fill`. It takes them
 * from a pool, as Node's `randomUUID` does, since most of the time of a small request is the call
 * itself. Bytes are erased in the pool when they are used, so its memory does not show them.
 */
export function randomPool(fillRandom: (bytes: Uint8Array) => unknown): Random['fill'] {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;

  return (buffer, at, count) => {
    if (count > SMALL_BYTES) {
      fillRandom(buffer.subarray(at, at + count));
      return;
    }
    if (used + count > POOL_BYTES) {
      fillRandom(pool);
      used = 0;
    }
    const end = used + count;
    buffer.set(pool.subarray(used, end), at);
    pool.fill(0, used, end);
    used = end;
  };
}
