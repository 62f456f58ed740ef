// `npm run bench -- storage`: walks a list while tokens change, and drains a backlog by the sweep,
// asserting nothing. tools/bench/growth.ts measures both over the number of tokens.
import { randomBytes } from 'node:crypto';
import { dueCvcs, dueTokens } from '../../src/adapters/dynamodb/due-tokens.ts';
import { createTokenStore } from '../../src/adapters/dynamodb/token-store.ts';
import { sliceAfter } from '../../src/core/lists/pagination.ts';
import { sweep } from '../../src/core/sweep/sweep.ts';
import type { StoredToken } from '../../src/core/tokens/token.ts';
import type { TokenWrite } from '../../src/core/tokens/token-store.ts';
import { aStoredToken, TENANT } from '../../test/support/builders/a-stored-token.ts';
import { aDatabase, type Database } from '../../test/support/a-database.ts';
import { LIST_SHARDS } from '../../src/adapters/dynamodb/token-tables.ts';

const WALKED = 10_000;
const BACKLOG = 100_000;
/** On Lambda a sweep has 58 s, less the reserve. */
const RUN_MS = 53_000;

/** Writes tokens by the hundred, like tokenize. */
async function fill(database: Database, count: number, make: (index: number) => TokenWrite): Promise<void> {
  const store = createTokenStore(database.tables(), Date.now);
  const each = make(0).cvc === undefined ? 100 : 50;
  for (let at = 0; at < count; at += each)
    await store.create(Array.from({ length: Math.min(each, count - at) }, (_, index) => make(at + index)));
}

/** Walks a list by cursor while others are created and deleted. */
async function walkWhileChanging(): Promise<void> {
  const database = await aDatabase(LIST_SHARDS);
  const store = createTokenStore(database.tables(), Date.now);
  const old = new Set<string>();
  await fill(database, WALKED, () => {
    const token = aStoredToken();
    old.add(token.id);
    return { token };
  });
  const seen = new Map<string, number>();
  const comings: StoredToken[] = [];
  let pages = 0;
  for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
    const options = { terms: [], expected: 101, ...(after === undefined ? {} : { after }) };
    const { entries, next } = await sliceAfter(store.candidates(TENANT, options), () => true, 100);
    for (const { id } of entries) seen.set(id, (seen.get(id) ?? 0) + 1);
    after = next;
    pages += 1;
    const fresh = [aStoredToken(), aStoredToken(), aStoredToken()];
    await store.create(fresh.map((token) => ({ token })));
    comings.push(...fresh);
    const going = pages % 2 === 0 ? comings.shift() : undefined;
    if (going !== undefined) await store.deleteVersion(going);
  }
  const once = [...old].filter((id) => seen.get(id) === 1).length;
  console.log('A walk by cursor while others come and go');
  console.table({ tokens: WALKED, 'seen exactly once': once, pages });
  await database.close();
}

/** A backlog of expired tokens and cvcs, in the runs of the schedule. */
async function drain(): Promise<void> {
  const database = await aDatabase(LIST_SHARDS);
  const due = Date.now() - 1;
  await fill(database, BACKLOG / 2, () => ({
    token: aStoredToken({ expiration: { at: due, offsetMinutes: 0 } }),
  }));
  await fill(database, BACKLOG / 2, () => ({
    token: aStoredToken({ cvcUntil: due }),
    cvc: { encryptedCvc: randomBytes(60), until: due },
  }));
  database.takeCalls();
  let runs = 0;
  let done = 0;
  let calls = 0;
  let left = true;
  const started = Date.now();
  while (left) {
    const deps = { clock: Date.now, deadline: Date.now() + RUN_MS, onFailure: console.error };
    left = false;
    for (const work of [dueCvcs(database.tables(), Date.now), dueTokens(database.tables(), Date.now)]) {
      const report = await sweep(work, deps);
      done += report.done;
      left ||= report.isUnfinished;
    }
    runs += 1;
    calls += database.takeCalls().length;
  }
  console.log('A backlog that drains');
  console.table({
    due: BACKLOG,
    done,
    runs,
    'calls a record': calls / done,
    seconds: (Date.now() - started) / 1000,
  });
  await database.close();
}

await walkWhileChanging();
await drain();
