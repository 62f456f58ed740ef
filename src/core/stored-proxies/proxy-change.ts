import type { LabelsChange } from '../shared/configuration-labels.ts';
import type { Secret } from '../shared/secret.ts';
import type { ProxyDraft } from './check-proxy.ts';
import type { ConfigurationValue, Proxy, ProxyDefinition } from './stored-proxy.ts';

export interface ProxyChange {
  /** The definition as the request wants it. */
  readonly apply: (previous: ProxyDefinition) => ProxyDraft;
  /** Values to set; `null` removes one. Absent if the request has none. */
  readonly configuration?: Secret<Readonly<Record<string, ConfigurationValue | null>>>;
  /** Whether the values, and the labels, replace all others. */
  readonly replacesConfiguration: boolean;
  /** Labels of values to set. */
  readonly labels?: LabelsChange['labels'];
  /** Another external id; `null` takes it away. */
  readonly externalId?: string | null;
  /** Whether the version that is the newest one afterwards is retained. Absent leaves its mark. */
  readonly keep?: boolean;
  /** Versions to keep no longer. */
  readonly freeVersions?: readonly number[];
  /** Throws if the request has a different value for a member that no request changes. */
  readonly check?: (current: Proxy) => void;
}
