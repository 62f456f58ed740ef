import { randomPool } from '../../src/adapters/random-pool.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';

/** Writes numbers of four bytes, the next one each time, and remembers where. */
function numbered() {
  let next = 1;
  const filled: Uint8Array[] = [];
  const fillRandom = (bytes: Uint8Array) => {
    filled.push(bytes);
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + 4 <= bytes.length; at += 4) view.writeUInt32BE((next += 1), at);
  };
  return { fillRandom, filled };
}

it('each byte is handed out once, in the part that was asked for, and is erased in the pool', () => {
  const wordsOf = fc.array(fc.oneof(fc.nat(16), fc.nat(175), fc.nat(1_250)), { maxLength: 60 });
  fc.assert(
    fc.property(wordsOf, (sizes) => {
      const { fillRandom, filled } = numbered();
      const fill = randomPool(fillRandom);
      const handedOut: number[] = [];
      const asked: Buffer[] = [];
      for (const size of sizes) {
        const buffer = Buffer.alloc(4 * size + 8);
        asked.push(buffer);
        fill(buffer, 4, 4 * size);
        for (let at = 4; at < buffer.length - 4; at += 4) handedOut.push(buffer.readUInt32BE(at));
        expect([buffer.readUInt32BE(0), buffer.readUInt32BE(buffer.length - 4)]).toEqual([0, 0]);
      }
      expect(new Set(handedOut).size).toBe(handedOut.length);
      expect(handedOut).not.toContain(0);
      // A small request is filled from the pool, which is none of the buffers that were asked for.
      const pool = filled.find(({ buffer }) => asked.every((each) => each.buffer !== buffer));
      if (pool === undefined) return;
      const words = Buffer.from(pool.buffer, pool.byteOffset, pool.length);
      const left = Array.from({ length: pool.length / 4 }, (_, at) => words.readUInt32BE(4 * at));
      expect(left.filter((word) => word !== 0 && handedOut.includes(word))).toEqual([]);
      // Only what was used is erased.
      expect(left.slice(left.findIndex((word) => word !== 0)).includes(0)).toBe(left.at(-1) === 0);
    }),
    { numRuns: cases(20) },
  );
});
