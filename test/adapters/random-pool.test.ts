import { randomPool } from '../../src/adapters/random-pool.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';

/** Writes each number once, so that bytes which are used twice are seen. */
function counted() {
  let next = 1;
  const pools: Uint8Array[] = [];
  const fillRandom = (bytes: Uint8Array) => {
    pools.push(bytes);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = 1 + (next++ % 251);
  };
  return { fillRandom, pools };
}

it('each byte is handed out once, in the part that was asked for, and is erased in the pool', () => {
  const counts = fc.array(fc.oneof(fc.nat(64), fc.nat(700), fc.nat(5_000)), { maxLength: 60 });
  fc.assert(
    fc.property(counts, (sizes) => {
      const { fillRandom, pools } = counted();
      const fill = randomPool(fillRandom);
      const small: number[] = [];
      for (const count of sizes) {
        const buffer = Buffer.alloc(count + 8);
        fill(buffer, 4, count);
        const drawn = [...buffer.subarray(4, 4 + count)];
        expect(buffer.subarray(0, 4)).toEqual(Buffer.alloc(4));
        expect(buffer.subarray(4 + count)).toEqual(Buffer.alloc(4));
        expect(drawn).not.toContain(0);
        if (count <= 512) small.push(...drawn);
      }
      // The pool is filled as a whole; what is used of it is zero, and no other byte is.
      const [pool] = pools.filter(({ length }) => length === 4_096);
      if (pool === undefined) return;
      const left = pool.filter((byte) => byte !== 0).length;
      expect([...pool.subarray(pool.length - left)]).not.toContain(0);
      expect(left).toBeLessThan(pool.length);
      expect(new Set(small.slice(0, 251)).size).toBe(Math.min(small.length, 251));
    }),
    { numRuns: cases(50) },
  );
});
