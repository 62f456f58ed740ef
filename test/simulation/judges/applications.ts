import type { StoredItem } from '../account.ts';
import type { Cast } from '../run.ts';
import { walk, type Found } from './found.ts';

/** Applications are there once, and their keys do what they may. */
export async function applicationsAreRight(cast: Cast): Promise<Found> {
  const { service, target, clients } = cast;
  const listed = await walk(cast, target.managementKey, '/applications');
  const problems: string[] = [];
  for (const { name, id, key, formerKeys, exists, permissions } of clients.flatMap(
    (each) => each.applications,
  )) {
    const found = listed.filter((each) => each.name === name);
    if (found.length > 1) problems.push(`${name} was created ${String(found.length)} times`);
    if (exists === 'yes' && found[0]?.id !== id) problems.push(`${name} is lost`);
    if (exists === 'no' && found.length > 0) problems.push(`${name} is deleted, and is there`);
    const stored = found[0]?.permissions?.[0] as string | undefined;
    if (exists === 'yes' && stored !== undefined && !permissions.sees(stored))
      problems.push(`${name} may ${stored}, not ${permissions.possible().join(' or ')}`);
    // Each request reads one of several copies of a credential.
    for (const former of [...formerKeys, ...formerKeys, ...formerKeys]) {
      const answer = await service.request('judge', { method: 'GET', path: '/permissions', key: former });
      if (answer?.status !== 401) problems.push(`a former key of ${name} gives ${String(answer?.status)}`);
    }
    if (key === undefined || exists === 'maybe') continue;
    for (let uses = 0; uses < 6; uses += 1) {
      const request = { method: 'DELETE', path: '/tokens/no-such-token', key };
      const expected = exists === 'no' ? 401 : stored === 'token:delete' ? 404 : 403;
      const answer = await service.request('judge', request);
      if (answer?.status !== expected)
        problems.push(
          `the key of ${name} (${String(stored)}) gives ${String(answer?.status)}, not ${String(expected)}`,
        );
    }
  }
  return problems;
}

/** How docs/storage.md names the item of an external id in the table Access. */
const EXTERNAL_ID = 'external#application#';

/** An external id is of one application, which is found by it, and none is left without one. */
export async function externalIdsAreOfOne(cast: Cast, items: readonly StoredItem[]): Promise<Found> {
  const { service, target } = cast;
  const listed = await walk(cast, target.managementKey, '/applications');
  const problems: string[] = [];
  const named = Map.groupBy(listed, (each) => each.external_id as string | undefined);
  for (const [externalId, holders] of named) {
    if (externalId === undefined) continue;
    const path = `/applications?external_id=${encodeURIComponent(externalId)}`;
    const answer = await service.request('judge', { method: 'GET', path, key: target.managementKey });
    const data = (answer?.body.data ?? []) as readonly { readonly id: string }[];
    const found = data.map(({ id }) => id);
    if (String(found) !== String(holders.map(({ id }) => String(id))) || holders.length > 1)
      problems.push(`${externalId} is of ${String(holders.length)}, and finds ${String(found)}`);
  }
  const stored = items.flatMap(({ item }) => (item['sk']?.S?.startsWith(EXTERNAL_ID) ? [item] : []));
  for (const item of stored)
    if (!listed.some(({ id }) => id === item['applicationId']?.S) && item['tenantId']?.S === target.tenantId)
      problems.push(`${String(item['externalId']?.S)} is of no application`);
  return problems;
}
