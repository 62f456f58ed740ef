import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { restoreBeside } from '../../../bin/operator/restore/restore-beside.ts';
import type { RestoreDeps } from '../../../bin/operator/restore/restore-deps.ts';
import { restoreExchange } from '../../../bin/operator/restore/restore-exchange.ts';
import { restoreFolder } from '../../../bin/operator/restore/restore-folder.ts';
import { functionConcurrency } from '../../support/fakes/function-concurrency.ts';
import { clientConfiguration, NO_FAULTS } from '../calls.ts';
import { createLife } from '../life.ts';
import type { Cast } from '../run.ts';
import { walk, type Body, type Found } from './found.ts';

const RESTORED_TABLES = ['Tokens', 'Access', 'Reactors'];
/** No instance has a key in memory any longer (docs/restore.md). */
const QUIET_MS = 360_000;
const FUNCTION = 'Cloakroom-operator';

const none = () => Promise.reject(new Error('the simulation has no AWS Backup'));
const NO_BACKUPS: RestoreDeps['backups'] = { place: none, point: none, start: none, job: none };

/** An administrator, whose calls take their time and never fail. */
function administrator({ world, account }: Cast, path: string): RestoreDeps {
  const faults = { of: () => NO_FAULTS, happens: () => false };
  const life = createLife(world, 'administrator', 0);
  const configuration = clientConfiguration({ world, services: account.services, faults }, life);
  return {
    dynamodb: new DynamoDBClient(
      configuration({ responseWithinMs: 10_000, maxAttempts: 10, reusesConnections: true }) as object,
    ),
    lambda: functionConcurrency([...RESTORED_TABLES, 'Ephemeral']).client,
    backups: NO_BACKUPS,
    folder: restoreFolder(path),
    clock: life.clock,
    pause: world.pause,
    quietMs: QUIET_MS,
    say: () => undefined,
  };
}

/** Restores the tables to a time, and removes no line of a list: all of it stays as it is now. */
async function restoreTo(cast: Cast, time: number): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'simulation-restore-'));
  try {
    const deps = administrator(cast, path);
    await restoreBeside(deps, FUNCTION, new Date(time).toISOString(), RESTORED_TABLES);
    await restoreExchange(deps);
  } finally {
    rmSync(path, { recursive: true });
  }
}

/** Everything that callers see, but for the days on which keys were used. */
async function seen(cast: Cast) {
  const { managementKey, privateKey } = cast.target;
  return {
    tokens: await walk(cast, privateKey, '/tokens'),
    applications: await walk(cast, managementKey, '/applications'),
    proxies: await walk(cast, managementKey, '/proxies'),
    reactors: await walk(cast, managementKey, '/reactors'),
  };
}

/** How long a list may lack what was written, in ms: a copy is as new as a write. */
const LISTED_AFTER_MS = 2_000;
/** A token that was written at about the restore point may have been in the tables by then. */
const NEAR_MS = 15_000;

/** Tokens of before are as they are now, and those that were created since are missing. */
function compareTokens(before: readonly Body[], after: readonly Body[], time: number): Found {
  const texts = new Map(after.map((token) => [token.id as string, JSON.stringify(token)]));
  const problems = before.flatMap((token) => {
    const createdAt = Date.parse(token.created_at as string);
    const found = texts.get(token.id as string);
    texts.delete(token.id as string);
    if (found === undefined)
      return createdAt < time - NEAR_MS ? [`${String(token.id)} is lost by a restore`] : [];
    if (createdAt > time + NEAR_MS) return [`${String(token.id)} was created since, and is there`];
    return found === JSON.stringify(token) ? [] : [`${String(token.id)} is restored as ${found}`];
  });
  return [...problems, ...[...texts].map(([, text]) => `a restore brought back ${text}`)];
}

/** Records are as they are now, whenever they were written. */
function compareRecords(before: readonly Body[], after: readonly Body[]): Found {
  const [then, now] = [before, after].map((each) => JSON.stringify(each));
  return then === now ? [] : [`a restore made ${String(now)} of ${String(then)}`];
}

/** An id that a caller chose names one token for ever, whether it is restored or not. */
async function namesAreUsed({ service, target, shared }: Cast): Promise<Found> {
  const problems: string[] = [];
  for (const [id] of [...shared.named].slice(0, 4)) {
    const request = { method: 'POST', path: '/tokens', key: target.privateKey };
    const answer = await service.request('judge', { ...request, body: { id, type: 'token', data: 'x' } });
    if (answer?.status !== 409) problems.push(`after a restore ${id} gives ${String(answer?.status)}`);
  }
  return problems;
}

/** A restore brings back nothing that was deleted or changed since, and loses no record. */
export async function restoreIsRight(cast: Cast): Promise<Found> {
  const { world, isRestored, restorePoint: time } = cast;
  if (!isRestored) return [];
  const before = await seen(cast);
  await restoreTo(cast, time);
  await world.pause(LISTED_AFTER_MS);
  const after = await seen(cast);
  return [
    ...compareTokens(before.tokens, after.tokens, time),
    ...compareRecords(before.applications, after.applications),
    ...compareRecords(before.proxies, after.proxies),
    ...compareRecords(before.reactors, after.reactors),
    ...(await namesAreUsed(cast)),
  ];
}
