import { dataKeyVersion } from '../crypto/record-seal.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Vault } from '../crypto/vault.ts';
import { openReactor, sealContent } from '../reactors/open-reactor.ts';
import type { StoredReactor } from '../reactors/reactor.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import { sealAnew } from '../tokens/seal-token.ts';
import type { StoredToken } from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';

export interface ResealDeps {
  readonly tokenStore: TokenStore;
  readonly reactorStore: ReactorStore;
  readonly tenantKeys: TenantKeys;
  readonly vault: Vault;
}

/** What one step did. */
export interface ResealStep {
  /** Records that were sealed anew. */
  readonly resealed: number;
  /** Records that were looked at. */
  readonly seen: number;
  /** Where to go on; absent after the last step. */
  readonly next?: string;
}

/** Tokens of a step: what a function does well within its time, whatever their size. */
const STEP = 200;
/** Tokens at once. */
const AT_ONCE = 10;

/** What is re-sealed after the tokens. */
const REACTORS = 'reactors';

async function resealToken(deps: ResealDeps, token: StoredToken, version: number): Promise<boolean> {
  const { vault } = deps;
  const isOld = (sealed: Buffer | undefined) => sealed !== undefined && dataKeyVersion(sealed) < version;
  // A cvc does not live long enough to be worth it.
  if (!isOld(token.sealedData) && !isOld(token.sealedDetails)) return false;
  const next: StoredToken = {
    ...token,
    ...(await sealAnew(vault, token, token)),
    version: token.version + 1,
  };
  // Somebody else who changed it meanwhile has sealed it anew, or the next walk finds it.
  return (await deps.tokenStore.update(token, { token: next })) === 'written';
}

async function resealReactor(deps: ResealDeps, reactor: StoredReactor, version: number): Promise<boolean> {
  const { sealedCode, sealedConfiguration, operation } = reactor;
  const isOld = [sealedCode, sealedConfiguration].some((sealed) => dataKeyVersion(sealed) < version);
  if (!isOld || operation !== undefined) return false;
  const sealed = await sealContent(deps.vault, reactor, await openReactor(deps.vault, reactor));
  return deps.reactorStore.update({ ...reactor, ...sealed, version: reactor.version + 1 });
}

async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<boolean>): Promise<number> {
  let done = 0;
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const results = await Promise.all(items.slice(at, at + AT_ONCE).map(act));
    done += results.filter(Boolean).length;
  }
  return done;
}

async function tokensAfter(deps: ResealDeps, tenantId: string, after: string | undefined) {
  const wanted = { terms: [], expected: STEP, ...(after === undefined ? {} : { after }) };
  for await (const batch of deps.tokenStore.candidates(tenantId, wanted))
    if (batch.length > 0) return batch.slice(0, STEP);
  return [];
}

/**
 * One step of sealing a tenant's records under its current data key, while the service goes on: tokens newest first, then reactors. Every
 * step can be repeated, and a walk that was cut off goes on from the last `next`, or from the beginning, where it finds nothing left to do.
 */
export async function resealStep(
  deps: ResealDeps,
  tenantId: string,
  from: string | undefined,
): Promise<ResealStep> {
  // The vault seals under what is remembered: what is read here is remembered from now on.
  const { version } = await deps.tenantKeys.newest(tenantId, 'data');
  if (from !== REACTORS) {
    const candidates = await tokensAfter(deps, tenantId, from);
    const last = candidates.at(-1);
    if (last === undefined) return { resealed: 0, seen: 0, next: REACTORS };
    const found = await deps.tokenStore.findMany(
      tenantId,
      candidates.map(({ id }) => id),
    );
    const resealed = await inTurns(found, (token) => resealToken(deps, token, version));
    return { resealed, seen: found.length, next: last.position };
  }
  let [resealed, seen] = [0, 0];
  for await (const batch of deps.reactorStore.list(tenantId, undefined)) {
    seen += batch.length;
    resealed += await inTurns(batch, (reactor) => resealReactor(deps, reactor, version));
  }
  return { resealed, seen };
}
