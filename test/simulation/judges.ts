import { STRANGE } from './client.ts';
import { applicationsAreRight, externalIdsAreOfOne } from './judges/applications.ts';
import { destructionIsWhole } from './judges/destruction.ts';
import { walk, type Found } from './judges/found.ts';
import { jobsEnd } from './judges/jobs.ts';
import { callsAreOfTheirTime, proxiesAreRight } from './judges/proxies.ts';
import { restoreIsRight } from './judges/restore.ts';
import {
  cvcsAreGone,
  goneLeavesNothing,
  nothingIsDue,
  nothingIsReadable,
  reactorsAreCounted,
} from './judges/stored.ts';
import {
  duplicatesAreOne,
  groupsAreWhole,
  indexesAreRight,
  membersAreRight,
  namesAreOfOne,
  tokensAreThere,
} from './judges/tokens.ts';
import {
  departuresAreRecorded,
  outcomesAreRecorded,
  recordsAreComplete,
  runsAreRecorded,
  trailIsIntact,
} from './judges/trail.ts';
import type { Cast } from './run.ts';

/*
 * The judges know the contract (docs/contract.md), what callers observed, and how docs/storage.md
 * says that it is stored. None reads the code of the service.
 */

/** How long a list of the trail may lack a new record, in ms. */
const LISTED_AFTER_MS = 2_000;

/** Adds what is wrong at the end of a run to its findings. */
export async function judge(cast: Cast): Promise<void> {
  const { world, account, target, findings, internet } = cast;
  const arrivals = [...internet.arrivals];
  await world.pause(LISTED_AFTER_MS);
  const listed = await walk(cast, target.privateKey, '/tokens');
  const records = await walk(cast, target.managementKey, '/logs');
  // The stranger sends to a host of its own, and its trail is read only if it did.
  const isStrange = arrivals.some(({ host }) => host === STRANGE);
  const strange = isStrange ? await walk(cast, target.otherManagementKey, '/logs') : [];
  const items = await account.items();
  const found: Readonly<Record<string, Found>> = {
    tokens: tokensAreThere(cast, listed),
    groups: groupsAreWhole(cast, listed),
    duplicates: duplicatesAreOne(cast, listed),
    names: namesAreOfOne(cast),
    members: membersAreRight(cast, listed),
    indexes: await indexesAreRight(cast, listed),
    applications: await applicationsAreRight(cast),
    'external ids': await externalIdsAreOfOne(cast, items),
    calls: callsAreOfTheirTime(cast, arrivals),
    proxies: await proxiesAreRight(cast, items),
    records: recordsAreComplete(findings.answered, records, listed),
    trail: await trailIsIntact(cast),
    outcomes: outcomesAreRecorded(findings.answered, records),
    departures: departuresAreRecorded(arrivals, [...records, ...strange]),
    runs: runsAreRecorded(cast, records),
    jobs: await jobsEnd(cast),
    plaintext: nothingIsReadable(cast),
    due: nothingIsDue(cast, items),
    cvcs: cvcsAreGone(items),
    reactors: reactorsAreCounted(items),
    gone: goneLeavesNothing(cast, items, listed),
    // It sets the tables back, so only what reads nothing of before follows.
    restore: await restoreIsRight(cast),
    // It ends the tenant, so it is the last.
    destruction: await destructionIsWhole(cast),
  };
  for (const [name, texts] of Object.entries(found))
    for (const text of texts) {
      findings.problems.push({ judge: name, text });
      world.happened('judge', `BROKEN (${name}): ${text}`);
    }
}
