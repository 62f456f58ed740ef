import type { Vault } from '../crypto/vault.ts';
import type { PinningProxy, ProxyPins } from '../reactors/proxy-pins.ts';
import { openName, openProxy } from './open-proxy.ts';
import type { ProxyStore } from './proxy-store.ts';
import type { ListedProxy, Pin, ProxyDefinition } from './stored-proxy.ts';

/** The codes that a definition runs, each once. A list has them in the clear. */
export function pinsOf({ requestTransforms, responseTransforms }: ProxyDefinition): readonly Pin[] {
  const pins = [...requestTransforms, ...responseTransforms].flatMap((transform) =>
    transform.type === 'reactor' ? [{ reactorId: transform.reactorId, codeHash: transform.codeHash }] : [],
  );
  return [...new Map(pins.map((pin) => [`${pin.reactorId} ${pin.codeHash}`, pin])).values()];
}

interface PinDeps {
  readonly proxyStore: Pick<ProxyStore, 'listed' | 'findMany'>;
  readonly vault: Vault;
}

/**
 * Most definitions that one question opens, of proxies whose last change was by an earlier release:
 * their lists have no pins.
 */
const OPENED_MAX = 100;

/** The pins of the proxies whose lists have none, by their ids. */
async function openedPins(
  { proxyStore, vault }: PinDeps,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Pin[]>> {
  if (ids.length === 0) return new Map();
  const stored = await proxyStore.findMany(tenantId, ids.slice(0, OPENED_MAX));
  const opened = await Promise.all(stored.map((each) => openProxy(vault, each)));
  return new Map(opened.map(({ stored: { id }, definition }) => [id, pinsOf(definition)]));
}

/** Finds the proxies that run code of a reactor, by the small items that also lists read. */
export function createProxyPins(deps: PinDeps): ProxyPins {
  return {
    async of({ tenantId, id: reactorId, codeHash }) {
      const listed: ListedProxy[] = [];
      for await (const batch of deps.proxyStore.listed(tenantId, undefined)) listed.push(...batch);
      const unknown = listed.flatMap(({ id, pins }) => (pins === undefined ? [id] : []));
      const opened = await openedPins(deps, tenantId, unknown);
      const pinning = listed.filter(({ id, pins = opened.get(id) ?? [] }) =>
        pins.some((pin) => pin.reactorId === reactorId && pin.codeHash === codeHash),
      );
      return Promise.all(
        pinning.map(async (each): Promise<PinningProxy> => {
          return { id: each.id, name: await openName(deps.vault, each) };
        }),
      );
    },
  };
}
