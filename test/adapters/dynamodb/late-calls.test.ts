import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type DeleteItemCommandInput,
  type PutItemCommandInput,
  type TransactWriteItemsCommandInput,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { dueTokens } from '../../../src/adapters/dynamodb/due-tokens.ts';
import { createTokenStore } from '../../../src/adapters/dynamodb/token-store.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import type { UnprovenToken } from '../../../src/core/tokens/token.ts';
import type { TokenWrite } from '../../../src/core/tokens/token-store.ts';
import { inThoroughRun } from '../../../packages/test-kit/src/which-runs.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { aDatabase, type Database, type Fate } from '../../support/a-database.ts';
import { aFullToken, aStoredToken, changed, TENANT, terms } from '../../support/builders/a-stored-token.ts';

let database: Database;
let raw: DynamoDBClient;
let now = Date.now();
const clock = () => now;

beforeEach(async () => {
  database = await aDatabase();
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  raw = new DynamoDBClient({ endpoint: database.url, region: 'eu-west-1', credentials });
});
afterEach(async () => {
  raw.destroy();
  await database.close();
});

const SEND = {
  PutItem: (input: object) => raw.send(new PutItemCommand(input as PutItemCommandInput)),
  UpdateItem: (input: object) => raw.send(new UpdateItemCommand(input as UpdateItemCommandInput)),
  DeleteItem: (input: object) => raw.send(new DeleteItemCommand(input as DeleteItemCommandInput)),
  TransactWriteItems: (input: object) =>
    raw.send(new TransactWriteItemsCommand(input as TransactWriteItemsCommandInput)),
} as const;
type Write = keyof typeof SEND;

/** A write as it was sent. A transaction has its request token, so that it acts only once. */
interface Call {
  readonly operation: Write;
  readonly input: object;
}

const isWrite = (operation: string): operation is Write => Object.hasOwn(SEND, operation);

/** Lets a call arrive. Returns whether it has acted. */
async function arrive({ operation, input }: Call): Promise<boolean> {
  try {
    await SEND[operation](input);
    return true;
  } catch (error) {
    const { name } = error as Error;
    if (!['ConditionalCheckFailedException', 'TransactionCanceledException'].includes(name)) throw error;
    return false;
  }
}

/** The attempts that make a write of several steps, and those after them. */
type Step = (fate: Fate) => Promise<unknown>;

const store = (fate?: Fate) => createTokenStore(database.tables(fate), clock);

/** Sweeps as of a minute later, when the writer of every pending write counts as dead. */
const sweeping: Step = async (fate) => {
  now += 61_000;
  const failures: unknown[] = [];
  const deps = { clock, deadline: now + 60_000, onFailure: (error: unknown) => failures.push(error) };
  await sweep(dueTokens(database.tables(fate), clock), deps);
  expect(failures).toEqual([]);
};

async function items(): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const { client } = database.tables();
  const all = new Map<string, Record<string, unknown>>();
  for (const TableName of ['Tokens', 'Ephemeral'])
    for await (const { Items = [] } of paginateScan({ client }, { TableName }))
      for (const item of Items) if (item['isGone'] !== true) all.set(`${item['pk']} ${item['sk']}`, item);
  return all;
}

type Items = Awaited<ReturnType<typeof items>>;

const digest = (_name: string, value: unknown) =>
  value instanceof Uint8Array ? createHash('sha256').update(value).digest('base64') : value;

/** The keys of items that differ. */
function differences(before: Items, after: Items): string[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys.filter(
    (key) => JSON.stringify(before.get(key), digest) !== JSON.stringify(after.get(key), digest),
  );
}

/** Checks that there is exactly what belongs to visible tokens, and that no write is unfinished. */
async function expectNothingLeft(): Promise<void> {
  const all = await items();
  const expected: string[] = [];
  const unfinished: string[] = [];
  for (const [key, item] of all) {
    if (item['sk'] !== 'token') continue;
    const token = item as unknown as UnprovenToken & { pk: string; matchSk: string; dataBytes: number };
    const { pk, position, version, cvcUntil } = token;
    expect(item['listSk']).toBe(position);
    expected.push(key, ...token.terms.map((term) => `${TENANT}#term#${term} ${position}`));
    if (!('encryptedData' in item)) expected.push(`${pk} data#${version}#00`);
    if (token.holdsLock) expected.push(`${TENANT}#lock#${token.matchSk.split('#')[0]} lock`);
    if (cvcUntil !== undefined) expected.push(`${pk} cvc`);
    for (const mark of ['pending', 'staleTerms', 'changeId', 'oldParts'])
      if (mark in item) unfinished.push(key);
  }
  expect(unfinished).toEqual([]);
  expect([...all.keys()].toSorted()).toEqual(expected.toSorted());
}

/** A write of several steps, and what happens after it. */
interface Story {
  /** The first call at which the client of the write may give up; otherwise the first one. */
  readonly from?: number;
  /**
   * Whether copies of the announcement arrive. One that arrives when everything is as before it
   * begins the write again, and leaves what a writer leaves that dies. A sweep in the second step
   * removes that.
   */
  readonly announcements?: 'none' | 'in the first step';
  readonly write: Step;
  readonly then: readonly (readonly [string, Step])[];
}

const isAnnouncement = ({ input }: Call) => JSON.stringify(input).includes('staleTerms = :staleTerms');

/** When late calls begin to arrive: before a write of a step, or at its end if it makes fewer. */
interface Moment {
  readonly step: number;
  readonly write: number;
}

/**
 * Runs a story in which the client of the write gives up at its `last`-th call, before it arrives.
 * From the moment on, that call and copies of the earlier ones arrive before each later write, and
 * at the end of each step, where they must change nothing. Returns whether there is such a call.
 */
async function run(story: Story, last: number, moment: Moment): Promise<boolean> {
  const { write, then, announcements } = story;
  const late: Call[] = [];
  let calls = 0;
  await write((operation, _nth, input) => {
    if (!isWrite(operation)) return undefined;
    calls += 1;
    // The request token of a transaction that has acted makes a copy of it do nothing.
    if (calls >= last || operation !== 'TransactWriteItems') late.push({ operation, input });
    return calls >= last ? 'die' : undefined;
  }).catch(() => undefined);
  // A call that acts has arrived, and does not arrive once more.
  const arriveAll = async (arriving: readonly Call[]) => {
    for (const call of arriving) if (await arrive(call)) late.splice(late.indexOf(call), 1);
  };
  for (const [index, [title, step]] of then.entries()) {
    const isOmitted = announcements === 'none' || (announcements !== undefined && index > 0);
    const arriving = () => late.filter((call) => !isOmitted || !isAnnouncement(call));
    let writes = 0;
    await step(async (operation) => {
      if (!isWrite(operation)) return undefined;
      writes += 1;
      const isTime = index > moment.step || (index === moment.step && writes >= moment.write);
      if (isTime) await arriveAll(arriving());
      return undefined;
    });
    if (index < moment.step) continue;
    const before = await items();
    await arriveAll(arriving());
    if (index > 0 || announcements !== 'in the first step')
      expect([title, last, moment, differences(before, await items())]).toEqual([title, last, moment, []]);
  }
  await expectNothingLeft();
  return calls >= last;
}

/** Repeats what a caller does until nothing is in its way, at the latest a minute later. */
async function untilDone(attempt: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 9; tries += 1) {
    if ((await attempt()) !== 'changed') return;
    if (tries > 3) now += 61_000;
  }
  throw new Error('still changed');
}

async function current(id: string): Promise<UnprovenToken> {
  const token = await store().find(TENANT, id);
  if (token === undefined) throw new Error('the token is missing');
  return token;
}

/** Replaces most entries of a token, so that some terms come back that an update has removed. */
const updating =
  (id: string, prefix: string): Step =>
  (fate) =>
    untilDone(async () => {
      const token = await current(id);
      const names = [...terms(70), ...terms(40, prefix)];
      return store(fate).update(token, { token: changed(token, { terms: names, containers: ['/moved/'] }) });
    });

const deleting =
  (id: string): Step =>
  async (fate) => {
    const token = await current(id);
    expect(await store(fate).deleteVersion(token)).toBe(true);
  };

/** Returns what happens to a token later. A sweep finishes what the late writer has left. */
const laterOf = (id: string): Story['then'] => [
  ['swept', sweeping],
  ['updated later', updating(id, 'later')],
  ['deleted', deleting(id)],
  ['swept at the end', sweeping],
];

/** Each attempt under one idempotency key has the same ids and its own position. */
function creating({ token, cvc }: TokenWrite): Step {
  let attempts = 0;
  return (fate) =>
    untilDone(() => {
      attempts += 1;
      const position = `${token.position}${String(attempts)}`;
      return store(fate).create([{ token: { ...token, position }, ...(cvc && { cvc }) }]);
    });
}

const aLargeWrite = (more: Partial<UnprovenToken> = {}) =>
  aFullToken({ terms: terms(101), encryptedData: randomBytes(80), isApart: true, ...more });

/** An update of several steps, its id, and its repeats under the same write id. */
async function anUpdate() {
  const first = aLargeWrite();
  await creating(first)(() => undefined);
  const { id } = first.token;
  const writeId = randomBytes(12);
  const more = {
    terms: [...terms(40), ...terms(60, 'new')],
    encryptedData: randomBytes(80),
    matchHash: randomUUID(),
    writeId,
  };
  const write: Step = (fate) =>
    untilDone(async () => {
      const token = await current(id);
      if (token.writeId.equals(writeId)) return 'written';
      const { cvcUntil: _, ...next } = changed(token, more);
      return store(fate).update(token, { token: next, cvc: 'removed' });
    });
  return { id, write };
}

/** An update of several steps that the lock of another token prevents. */
async function aPreventedUpdate(announcements: Story['announcements'] & string): Promise<Story> {
  const holder = aStoredToken({ holdsLock: true });
  const first = aStoredToken({ terms: terms(80) });
  await store().create([{ token: holder }, { token: first }]);
  const { id } = first;
  const next = changed(first, {
    terms: [...terms(40), ...terms(70, 'new')],
    matchHash: holder.matchHash,
    holdsLock: true,
  });
  const write: Step = (fate) =>
    untilDone(async () => {
      const outcome = await store(fate).update(first, { token: next });
      if (outcome !== 'changed') expect(outcome).toEqual({ lockedBy: holder.id });
      return outcome;
    });
  const remove: Step = async () => expect(await store().deleteVersion(holder)).toBe(true);
  const later = laterOf(id);
  return {
    announcements,
    write,
    then: [['prevented again', write], ...later, ['without the holder', remove]],
  };
}

const stories = {
  create: (): Promise<Story> => {
    const write = aLargeWrite();
    const create = creating(write);
    return Promise.resolve({ write: create, then: [['repeated', create], ...laterOf(write.token.id)] });
  },
  plainCreate: (): Promise<Story> => {
    const token = aStoredToken({ terms: terms(101), id: `chosen-${randomUUID()}` });
    const create = creating({ token });
    return Promise.resolve({ write: create, then: [['repeated', create], ...laterOf(token.id)] });
  },
  sweptCreate: (): Promise<Story> => {
    const write = aLargeWrite();
    const create = creating(write);
    const then: Story['then'] = [['cleared', sweeping], ['repeated', create], ...laterOf(write.token.id)];
    return Promise.resolve({ from: 2, write: create, then });
  },
  update: async (): Promise<Story> => {
    const { id, write } = await anUpdate();
    const repeat: Step = async (fate) => {
      await write(fate);
      await sweeping(fate);
    };
    return { write, then: [['repeated', repeat], ...laterOf(id)] };
  },
  sweptUpdate: async (): Promise<Story> => {
    const { id, write } = await anUpdate();
    return { from: 2, announcements: 'none', write, then: laterOf(id) };
  },
  preventedUpdate: () => aPreventedUpdate('none'),
  preventedUpdateAnnouncedAgain: () => aPreventedUpdate('in the first step'),
  deletion: async (): Promise<Story> => {
    const { token, cvc } = aLargeWrite();
    await creating({ token, ...(cvc && { cvc }) })(() => undefined);
    const write: Step = async (fate) => store(fate).deleteVersion(await current(token.id));
    const again: Step = async (fate) => {
      const left = await store().find(TENANT, token.id);
      if (left !== undefined) expect(await store(fate).deleteVersion(left)).toBe(true);
    };
    return {
      from: 2,
      write,
      then: [
        ['swept', sweeping],
        ['deleted', again],
      ],
    };
  },
};

const END = Infinity;

describe('a call that arrives after its client gave up', () => {
  it.each<[title: keyof typeof stories, late: string, last: number, at: string, moment: Moment]>([
    ['create', 'entries', 2, 'between the steps of clearing', { step: 0, write: 5 }],
    ['create', 'entries', 2, 'after the repeat', { step: 0, write: END }],
    ['plainCreate', 'the last step', 4, 'between the steps of the repeat', { step: 0, write: 8 }],
    ['update', 'entries', 2, 'after a later update', { step: 2, write: END }],
    ['update', 'the removal of old entries', 4, 'within a later update', { step: 2, write: 3 }],
    ['sweptUpdate', 'entries', 2, 'between the steps of the sweep', { step: 0, write: 4 }],
    ['preventedUpdate', 'entries', 2, 'between the steps of the withdrawal', { step: 0, write: 7 }],
  ])('changes nothing: of %s, %s (call %d), %s', async (name, _late, last, _at, moment) => {
    expect(await run(await stories[name](), last, moment)).toBe(true);
  });

  inThoroughRun.it('changes nothing, whichever call it is and whenever it arrives', async () => {
    const names = fc.constantFrom(...(Object.keys(stories) as (keyof typeof stories)[]));
    const moments = fc.record({ step: fc.nat(4), write: fc.integer({ min: 1, max: 10 }) });
    await fc.assert(
      fc.asyncProperty(names, fc.integer({ min: 1, max: 8 }), moments, async (name, last, moment) => {
        const story = await stories[name]();
        await run(story, Math.max(last, story.from ?? 1), moment);
      }),
      { numRuns: cases(3) },
    );
  });
});
