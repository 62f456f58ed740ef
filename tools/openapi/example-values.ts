import { createHash } from 'node:crypto';

/** The ids that examples of requests contain, and whose places they have in samples. */
export const EXAMPLE_IDS = {
  token: '0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8',
  application: '3c4a8c51-6f0e-4a5b-8e0c-9b0f6f0a7d21',
  key: '6d0b6c7e-52a1-4f43-9a0e-3d9a4b1c8f25',
  reactor: 'e2b7c1d4-8a35-4c6f-b1e0-7f4d2a9c5b83',
  proxy: '91d3f6a2-4e7b-4a18-8c25-5b0e9d7f3a64',
  invocation: 'c0a5b7de-0c1f-4b7a-9d57-1de1a0f0b0a4',
} as const;

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const KEY = /key_[a-z]+_[1-9A-HJ-NP-Za-km-z]{40,}/g;
/** Members whose value is random, and no key and no UUID, and the usual length of it. */
const RANDOM: Readonly<Record<string, number>> = { fingerprint: 44, nonce: 33, after: 50, id: 21 };
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const HINT_LENGTH = 4;

/** Looks random, and is the same for the same number. */
function lookingRandom(number: number, length: number): string {
  const digits = createHash('sha256')
    .update(`example ${String(number)}`)
    .digest();
  return Array.from({ length }, (_, at) =>
    BASE58.charAt((digits[at % digits.length] ?? 0) % BASE58.length),
  ).join('');
}

/** No reader and no scanner for secrets takes it for a key that works. */
const exampleKey = (kind: string, number: number): string =>
  `${kind}${'Examp1e'.repeat(9)}${lookingRandom(number, HINT_LENGTH)}`;

function exampleUuid(uuid: string, number: number): string {
  const digits = createHash('sha256')
    .update(`uuid ${String(number)}`)
    .digest('hex');
  // A version 7 begins with the time, which the recording decides.
  if (uuid.charAt(14) === '7')
    return `${uuid.slice(0, 13)}-7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`;
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(12, 15)}-8${digits.slice(15, 18)}-${digits.slice(18, 30)}`;
}

/**
 * Replaces everything that is random in a recording by values that are the same each time, and the
 * same in all its places. `known` has the replacements of some ids.
 */
export function withExampleValues(recorded: unknown, known: ReadonlyMap<string, string>): unknown {
  const replaced = new Map(known);
  const named = (value: string, example: (number: number) => string): string => {
    const found = replaced.get(value) ?? example(replaced.size);
    replaced.set(value, found);
    return found;
  };
  const keyOf = (key: string): string => {
    const kind = key.slice(0, key.lastIndexOf('_') + 1);
    const example = named(key, (number) => exampleKey(kind, number));
    replaced.set(`hint ${key.slice(-HINT_LENGTH)}`, example.slice(-HINT_LENGTH));
    return example;
  };
  function exampleOf(name: string, text: string): string {
    if (name === 'hint') return named(`hint ${text}`, (number) => lookingRandom(number, HINT_LENGTH));
    const plain = text
      .replaceAll(KEY, keyOf)
      .replaceAll(UUID, (uuid) => named(uuid, (number) => exampleUuid(uuid, number)));
    const length = RANDOM[name];
    return length === undefined || plain !== text
      ? plain
      : named(text, (number) => lookingRandom(number, length));
  }
  function walk(name: string, value: unknown): unknown {
    if (typeof value === 'string') return exampleOf(name, value);
    if (Array.isArray(value)) return value.map((element) => walk(name, element));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, walk(member, inner)]));
  }
  // A hint may come before its key.
  JSON.stringify(recorded).match(KEY)?.forEach(keyOf);
  return walk('', recorded);
}
