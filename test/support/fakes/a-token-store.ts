import { ENCRYPTION_OVERHEAD_BYTES } from '../../../src/core/crypto/record-encryption.ts';
import { isServiceId } from '../../../src/core/tokens/service-id.ts';
import { createWriteIdOf } from '../../../src/core/tokens/ownership.ts';
import type { StoredToken, TokenSummary, UnprovenToken } from '../../../src/core/tokens/token.ts';
import type {
  StoredCvc,
  TokenCandidate,
  TokenStore,
  TokenWrite,
} from '../../../src/core/tokens/token-store.ts';

/** Encrypted data up to this many bytes is in its token's item, as in DynamoDB. */
const INLINE_BYTES = 350_000;

const isSame = (a: UnprovenToken, b: UnprovenToken) => a.version === b.version && a.writeId.equals(b.writeId);

function candidateOf(token: StoredToken): TokenCandidate {
  const { id, position, type, containers, expiration } = token;
  return { id, position, type, containers, ...(expiration && { expiration }) };
}

const isLarge = ({ encryptedData, encryptedDetails }: StoredToken) =>
  encryptedData.length + (encryptedDetails?.length ?? 0) > INLINE_BYTES;

function summaryOf(whole: StoredToken): TokenSummary {
  const { encryptedData, ...token } = whole;
  return {
    ...token,
    ...(!isLarge(whole) && { encryptedData }),
    dataBytes: encryptedData.length - ENCRYPTION_OVERHEAD_BYTES,
  };
}

/**
 * Stores each tenant separately in memory. It never leaves out a candidate because of `isVisible`:
 * a {@link TokenStore} may do that, but a caller that relied on it would show too much.
 */
export function aTokenStore() {
  const tokens = new Map<string, StoredToken>();
  const cvcs = new Map<string, StoredCvc>();
  /** The write ids of the creates of deleted tokens. */
  const tombstones = new Map<string, Buffer>();
  const locks = new Map<string, string>();
  const at = ({ tenantId, id }: Pick<StoredToken, 'tenantId' | 'id'>) => `${tenantId}/${id}`;
  const lockAt = ({ tenantId, matchHash }: UnprovenToken) => `${tenantId}/${matchHash}`;
  const of = (tenantId: string) => [...tokens.values()].filter((token) => token.tenantId === tenantId);
  const lockedBy = ({ token, lockOf }: TokenWrite): string | undefined => {
    const holder = token.holdsLock ? locks.get(lockAt(token)) : undefined;
    return holder === token.id || holder === lockOf ? undefined : holder;
  };
  const free = (token: StoredToken) => {
    if (locks.get(lockAt(token)) === token.id) locks.delete(lockAt(token));
  };
  const put = ({ token, cvc }: TokenWrite) => {
    tokens.set(at(token), token);
    if (token.holdsLock) locks.set(lockAt(token), token.id);
    if (cvc === 'removed') cvcs.delete(at(token));
    else if (cvc !== undefined) cvcs.set(at(token), cvc);
  };
  const remove = (token: StoredToken) => {
    tokens.delete(at(token));
    tombstones.set(at(token), createWriteIdOf(token));
    cvcs.delete(at(token));
    free(token);
  };
  const byId = <T>(of: ReadonlyMap<string, T>, tenantId: string, ids: readonly string[]) =>
    new Map(
      ids.flatMap((id) => {
        const value = of.get(at({ tenantId, id }));
        return value === undefined ? [] : [[id, value] as const];
      }),
    );
  const found = (tenantId: string, ids: readonly string[]) =>
    [...new Set(ids)].flatMap((id) => tokens.get(at({ tenantId, id })) ?? []);

  const store: TokenStore = {
    create(writes) {
      for (const write of writes) {
        const { id } = write.token;
        const existing = tokens.get(at(write.token));
        const writeId = existing ? createWriteIdOf(existing) : tombstones.get(at(write.token));
        if (writeId !== undefined) return Promise.resolve({ idTakenBy: { id, writeId } });
        const holder = lockedBy(write);
        if (holder !== undefined) return Promise.resolve({ lockedBy: holder });
      }
      writes.forEach(put);
      return Promise.resolve('written');
    },
    update(previous, next) {
      const current = tokens.get(at(previous));
      if (current === undefined || !isSame(current, previous)) return Promise.resolve('changed');
      const holder = lockedBy(next);
      if (holder !== undefined) return Promise.resolve({ lockedBy: holder });
      free(current);
      put(next);
      return Promise.resolve('written');
    },
    find: (tenantId, id) => Promise.resolve(tokens.get(at({ tenantId, id }))),
    findMany: (tenantId, ids) => Promise.resolve(found(tenantId, ids)),
    findSummaries: (tenantId, ids) => Promise.resolve(found(tenantId, ids).map(summaryOf)),
    findDeleted: (tenantId, ids) => Promise.resolve(byId(tombstones, tenantId, ids)),
    readData: (summaries) => Promise.resolve(summaries.flatMap((summary) => tokens.get(at(summary)) ?? [])),
    findCvcs: (tenantId, ids) => Promise.resolve(byId(cvcs, tenantId, ids)),
    async *findMatches({ tenantId, fingerprint, matchHash, expiration }) {
      const until = ({ expiration: ends }: Pick<StoredToken, 'expiration'>) => ends?.at ?? Infinity;
      const matches = of(tenantId).filter(
        (token) =>
          token.fingerprint === fingerprint &&
          token.matchHash === matchHash &&
          until(token) >= (expiration?.at ?? Infinity),
      );
      yield await Promise.resolve(
        matches.toSorted((a, b) => until(a) - until(b) || (a.position < b.position ? -1 : 1)).map(summaryOf),
      );
    },
    async *candidates(tenantId, { terms, fingerprint, after }) {
      // An entry of the list of all has fewer properties.
      const isListed = terms.length === 0 && fingerprint === undefined;
      const candidates = of(tenantId)
        .filter((token) => terms.every((term) => token.terms.includes(term)))
        .filter((token) => fingerprint === undefined || token.fingerprint === fingerprint)
        .filter(({ position }) => after === undefined || position < after)
        .map((token) => ({ ...candidateOf(token), ...(!isListed && { hasMask: token.hasMask }) }));
      yield await Promise.resolve(candidates.toSorted((a, b) => (a.position < b.position ? 1 : -1)));
    },
    deleteIfStandalone(tenantId, id, now) {
      const token = tokens.get(at({ tenantId, id }));
      const isAlone =
        token !== undefined &&
        token.cvcUntil === undefined &&
        !isLarge(token) &&
        token.terms.length === 0 &&
        !token.holdsLock &&
        (token.expiration?.at ?? Infinity) > now;
      if (!isAlone) return Promise.resolve({ remaining: token });
      remove(token);
      return Promise.resolve('deleted');
    },
    deleteTombstones(tenantId, count) {
      const isLasting = (key: string) =>
        key.startsWith(`${tenantId}/`) && !isServiceId(tenantId, key.slice(tenantId.length + 1));
      const mine = [...tombstones.keys()].filter(isLasting).slice(0, count);
      for (const key of mine) tombstones.delete(key);
      return Promise.resolve(mine.length);
    },
    deleteTombstonesOf(tenantId, ids) {
      for (const id of ids) if (!isServiceId(tenantId, id)) tombstones.delete(`${tenantId}/${id}`);
      return Promise.resolve();
    },
    deleteVersion(token) {
      const current = tokens.get(at(token));
      if (current === undefined || !isSame(current, token)) return Promise.resolve(false);
      remove(current);
      return Promise.resolve(true);
    },
  };
  return { store, tokens };
}
