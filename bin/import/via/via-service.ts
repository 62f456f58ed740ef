import { CallFailed, type ImportService } from '../service.ts';
import { sendRow, type SendDeps, type ViaPlace } from './send-row.ts';

/** A status that no answer has: the run cannot go on. */
const NO_STATUS = 0;

/** Throws what {@link ImportService} says of a request that made no token. */
function failure(outcome: Exclude<Awaited<ReturnType<typeof sendRow>>, 'imported'>): CallFailed {
  if (outcome === 'taken') return new CallFailed(409, 'the id is taken', { '[0].id': ['exists or existed'] });
  if ('ended' in outcome) return new CallFailed(NO_STATUS, outcome.ended);
  const { member, problem } = outcome.refused;
  return new CallFailed(400, problem, member === undefined ? {} : { [`[0].${member}`]: [problem] });
}

/**
 * Creates tokens through the proxy of another vault, one in a request. It neither reads nor changes
 * any, since the key that the other vault sees may do neither.
 */
export const viaService = (deps: SendDeps, place: ViaPlace): ImportService => ({
  tenant: () => Promise.resolve(undefined),
  create: async (bodies) => {
    const ids: string[] = [];
    for (const body of bodies) {
      const { id } = body;
      if (typeof id !== 'string') throw new Error('import: a token without an id');
      const outcome = await sendRow(deps, place, { ...body, id });
      if (outcome !== 'imported') throw failure(outcome);
      ids.push(id);
    }
    return ids;
  },
  find: () => Promise.reject(new CallFailed(403, 'the key may not read tokens')),
  change: () => Promise.reject(new CallFailed(403, 'the key may not change tokens')),
});
