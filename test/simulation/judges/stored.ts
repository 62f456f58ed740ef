import type { Item } from '../../../packages/local-aws/src/dynamodb/item.ts';
import type { StoredItem } from '../account.ts';
import { isName, PLAINTEXT } from '../client.ts';
import type { Cast } from '../run.ts';
import { BEGINNING } from '../world.ts';
import type { Body, Found } from './found.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Matches an attribute of bytes in the JSON of an item. */
const BYTES = /"B":"([^"]*)"/g;

/** The JSON of an item, in which a text is found whatever the type of its attribute. */
const readable = (json: string): string =>
  json.replace(BYTES, (_, bytes: string) => `"B":"${Buffer.from(bytes, 'base64').toString('latin1')}"`);

/** How many runs are searched for encoded secrets, which takes long. */
const DECODED = 0.2;

/**
 * A text as it is, in hexadecimal digits, and in base64 wherever it begins in what is encoded. The
 * first and the last digits of base64 depend on what is around the text.
 */
function encodingsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const inner = encoded.slice(Math.ceil((before * 4) / 3), -1);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [...new Set([text, bytes.toString('hex'), ...base64])];
}

/** Nothing that was ever stored, queued or logged has data or a credential that can be read. */
export function nothingIsReadable({ world, account, service, messages, target, findings }: Cast): Found {
  const plain = [PLAINTEXT, ...target.secrets, ...findings.secrets];
  const secrets = world.draws('decoded').chance(DECODED) ? plain.flatMap(encodingsOf) : plain;
  const texts = [
    ...account.written.map((json) => ({ where: 'a table', text: readable(json) })),
    ...messages().map((text) => ({ where: 'a queue', text })),
    ...service.lines.map((text) => ({ where: 'the log', text })),
  ];
  const all = texts.map(({ text }) => text).join('\n');
  const found = secrets.filter((secret) => all.includes(secret));
  return found.map((secret) => {
    const { where, text } = texts.find((each) => each.text.includes(secret)) ?? { where: '', text: '' };
    return `${where} has ${secret}: ${text.slice(0, 300)}`;
  });
}

/** The bytes of an item, as text in which an ASCII text of an attribute is found. */
export function bytesOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) =>
      name === 'B' && typeof part === 'string'
        ? Buffer.from(part, 'base64').toString('latin1')
        : `${name} ${bytesOf(part)}`,
    )
    .join('\n');
}

const textOf = (item: Item, name: string): string => item[name]?.S ?? '';

/** Due work was done: the index of due work has nothing of the past. */
export function nothingIsDue({ world }: Cast, items: readonly StoredItem[]): Found {
  // A sweep has begun since.
  const before = Math.floor(world.now() - 60_000)
    .toString(36)
    .padStart(9, '0');
  const listed = items.filter(({ item }) => textOf(item, 'dueSk') !== '');
  // Every tenant is listed, with the time at which its keys are rotated.
  if (listed.length === 0) return ['no item has a time at which it is due'];
  return (
    listed
      // Reactors wait for running instances as long as all have a place.
      .filter(({ item }) => textOf(item, 'duePk') !== 'waiting')
      .filter(({ item }) => textOf(item, 'dueSk').slice(0, 9) < before)
      .map(({ table, item }) => `${table} ${textOf(item, 'pk')} ${textOf(item, 'sk')} is still due`)
  );
}

/** A tenant is said to have as many reactors as it has. */
export function reactorsAreCounted(items: readonly StoredItem[]): Found {
  const counts = new Map<string, number>();
  for (const { table, item } of items) {
    if (table !== 'Reactors') continue;
    const tenantId = textOf(item, 'pk');
    const sort = textOf(item, 'sk');
    const change = sort === 'reactor-count' ? -Number(item['total']?.N) : Number(sort.startsWith('reactor#'));
    counts.set(tenantId, (counts.get(tenantId) ?? 0) + change);
  }
  return [...counts]
    .filter(([, difference]) => difference !== 0)
    .map(([tenantId, difference]) => `${tenantId} has ${String(difference)} more reactors than are counted`);
}

/** No cvc is stored for longer than its time, and the sweep has had time to delete all. */
export const cvcsAreGone = (items: readonly StoredItem[]): Found =>
  items
    .filter(({ table, item }) => table === 'Ephemeral' && textOf(item, 'sk') === 'cvc')
    .map(({ item }) => `the cvc of ${textOf(item, 'pk')} is still stored`);

interface Gone {
  readonly id: string;
  readonly mark: string;
}

/**
 * Remembers the id of a deleted token. An id that a caller chose names one token for ever, and one
 * that the service made is remembered for as long as an idempotency key repeats its request.
 */
function isMemory({ id }: Gone, { table, item }: StoredItem): boolean {
  if (table !== 'Tokens' || !textOf(item, 'pk').endsWith(`#${id}`)) return false;
  const endsAtMs = Number(item['ttl']?.N ?? Infinity) * 1_000;
  if (isName(id)) return endsAtMs === Infinity;
  return endsAtMs >= BEGINNING + DAY_MS && endsAtMs < BEGINNING + 3 * DAY_MS;
}

/**
 * A deleted or expired token leaves nothing but, at most, one item that remembers its id. What
 * belongs to a token is found by its id in the bytes of an item.
 */
export function goneLeavesNothing(cast: Cast, items: readonly StoredItem[], listed: readonly Body[]): Found {
  const there = new Set(listed.map(({ id }) => id as string));
  const gone = cast.clients
    .flatMap(({ tokens }) => tokens)
    .filter(({ isApart, exists }) => !isApart || exists === 'no')
    .flatMap(({ id, mark }) => (id !== undefined && !there.has(id) ? [{ id, mark }] : []));
  const stored = items
    .filter(({ table }) => table === 'Tokens' || table === 'Ephemeral')
    .map(({ table, item }) => ({ table, item, text: bytesOf(item) }));
  return gone.flatMap((each) => {
    const left = stored.filter(({ text }) => text.includes(each.id));
    const [only] = left;
    if (only === undefined || (left.length === 1 && isMemory(each, only))) return [];
    const named = left.map(
      ({ table, item }) =>
        `${table} ${textOf(item, 'pk')} ${textOf(item, 'sk')} until ${item['ttl']?.N ?? 'ever'}`,
    );
    return [`${each.mark} is gone and has left ${named.join(', ')}`];
  });
}
