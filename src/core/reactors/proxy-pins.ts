import type { PortEffects } from '../audit/effect.ts';
import type { ReactorRecord } from './reactor.ts';

/** A stored proxy that runs code of a reactor. */
export interface PinningProxy {
  readonly id: string;
  readonly name: string;
}

/** Knows which stored proxies run code of a reactor (docs/contract.md#transforms-of-a-proxy). */
export interface ProxyPins {
  /** The proxies whose definition pins this code of a reactor, newest first. */
  of(reactor: Pick<ReactorRecord, 'tenantId' | 'id' | 'codeHash'>): Promise<readonly PinningProxy[]>;
}

export const PROXY_PINS_EFFECTS: PortEffects<ProxyPins> = { of: 'none' };
