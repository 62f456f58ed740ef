import { createHash } from 'node:crypto';

/** Random values that the same seed repeats: `Random` of the product, and draws for a plan. */
export interface Draws {
  readonly bytes: (count: number) => Buffer;
  /** Draws an integer from 0 to below a limit. */
  readonly integer: (below: number) => number;
  readonly uuid: () => string;
  /** Draws a number from 0 to below 1. */
  readonly fraction: () => number;
  /** Is true with this probability. */
  readonly chance: (probability: number) => boolean;
  /** Draws a number from `from` to below `to`. */
  readonly between: (from: number, to: number) => number;
  /** One of a list that is not empty. */
  readonly pick: <T>(from: readonly T[]) => T;
  /** Draws that do not depend on how many are made here, by a name. */
  readonly fork: (name: string) => Draws;
}

/** Chris Doty-Humphrey's sfc32, whose state of 128 bits keeps two forks from meeting. */
function sfc32(seed: Buffer): () => number {
  let [a, b, c, counter] = [0, 4, 8, 12].map((at) => seed.readInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  return () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
}

/** Draws of a seed, which can be any text. */
export function seeded(seed: string): Draws {
  const next = sfc32(createHash('sha256').update(seed).digest());
  const fraction = () => (next() >>> 5) / 2 ** 27;
  const integer = (below: number) =>
    Math.floor((((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53) * below);

  function bytes(count: number): Buffer {
    const words = Buffer.alloc(Math.ceil(count / 4) * 4);
    for (let at = 0; at < count; at += 4) words.writeUInt32LE(next(), at);
    return words.subarray(0, count);
  }

  function uuid(): string {
    const drawn = bytes(16);
    drawn[6] = ((drawn[6] ?? 0) & 0x0f) | 0x40;
    drawn[8] = ((drawn[8] ?? 0) & 0x3f) | 0x80;
    return drawn.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  return {
    bytes,
    integer,
    uuid,
    fraction,
    chance: (probability) => fraction() < probability,
    between: (from, to) => from + fraction() * (to - from),
    pick: (from) => {
      const found = from[integer(from.length)];
      if (from.length === 0) throw new Error('nothing to pick from');
      return found as (typeof from)[number];
    },
    fork: (name) => seeded(`${seed}/${name}`),
  };
}
