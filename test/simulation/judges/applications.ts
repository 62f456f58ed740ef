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
