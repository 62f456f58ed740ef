import type { ReactorStore } from '../reactors/reactor-store.ts';
import type { RunReactor, Transform } from './stored-proxy.ts';
import type { Draft, DraftReactor, DraftTransform } from './draft-transform.ts';

const isReactor = (transform: DraftTransform): transform is DraftReactor => transform.type === 'reactor';

/** Adds to each reactor transform the hash of the code that the reactor has now. */
export async function pinReactors<Any extends Transform>(
  { reactorStore }: { readonly reactorStore: Pick<ReactorStore, 'findMany'> },
  { tenantId, before = [] }: { readonly tenantId: string; readonly before?: readonly Any[] | undefined },
  transforms: readonly Draft<Any>[],
  report: (at: number, member: string, problem: string) => void,
): Promise<readonly (Exclude<Any, RunReactor> | RunReactor)[]> {
  const ids = transforms.flatMap((each) => ('reactorId' in each ? [each.reactorId] : []));
  const found = ids.length === 0 ? [] : await reactorStore.findMany(tenantId, ids);
  const hashes = new Map(
    found.filter(({ state }) => state === 'ready').map((each) => [each.id, each.codeHash]),
  );
  return transforms.map((each, at) => {
    if (!isReactor(each)) return each;
    const isUnchanged = before.some(
      (old) => old.type === 'reactor' && old.reactorId === each.reactorId && old.codeHash === each.codeHash,
    );
    const codeHash = isUnchanged ? each.codeHash : hashes.get(each.reactorId);
    if (codeHash === undefined) report(at, 'reactor_id', 'is not a reactor of this tenant');
    else if (each.codeHash !== undefined && each.codeHash !== codeHash)
      report(at, 'code_hash', "is not that of the reactor's code; leave it out to accept the code of now");
    return { ...each, codeHash: codeHash ?? '' };
  });
}
