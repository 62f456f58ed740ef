import type { Secret } from '../shared/secret.ts';

/** Limits of a reactor (docs/contract.md#limits): entries, and lengths in characters. */
export const REACTOR_LIMITS = {
  code: 50_000,
  /** As JSON: a reactor with its configuration fits one item of the store. */
  codeBytes: 200_000,
  configuration: 25,
  configurationKey: 200,
  configurationValue: 1_000,
  /** A request to invoke it, and the tokens that are filled into its arguments. */
  invocationBytes: 5_000_000,
} as const;

/** Names and values that the code can read. */
export type Configuration = Readonly<Record<string, string>>;

/** What of a reactor is sealed at rest. */
export interface ReactorContent {
  readonly code: Secret<string>;
  readonly configuration: Secret<Configuration>;
}

/** What somebody may say about a reactor. */
export interface ReactorDefinition extends ReactorContent {
  readonly name: string;
  /** The application as which the code may call the service. */
  readonly applicationId?: string;
}

/** What is known of a reactor without opening anything. Times in ms since the epoch. */
export interface ReactorRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly applicationId?: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly modifiedBy?: string;
  readonly modifiedAt?: number;
  /**
   * SHA-256 of the code as UTF-8, lower-case hexadecimal: an instance with other code refuses to
   * run it.
   */
  readonly codeHash: string;
  readonly sealedCode: Buffer;
  readonly sealedConfiguration: Buffer;
}

/** A reactor (docs/contract.md#the-reactor-object), opened. */
export interface Reactor extends Omit<ReactorRecord, 'sealedCode' | 'sealedConfiguration'>, ReactorContent {}

/**
 * A change of a reactor's function that is under way. Whoever started it has until `until`; then
 * the sweep puts things in order.
 */
export interface Operation {
  readonly id: string;
  /** Ms since the epoch. */
  readonly until: number;
}

/** A reactor as it is stored. */
export interface StoredReactor extends ReactorRecord {
  /** `creating` and `deleting` ones do not exist for anybody who asks. */
  readonly state: 'creating' | 'ready' | 'deleting';
  /** The published version of its function that `live` stands for; absent until there is one. */
  readonly functionVersion?: string;
  /** Held by whoever changes the function: one at a time. */
  readonly operation?: Operation;
  /** When versions that nothing refers to any more are removed, in ms since the epoch. */
  readonly tidyAt?: number;
  /**
   * When instances are kept running for it is tried again, in ms since the epoch: the account's
   * quota has refused them. Until then it starts cold.
   */
  readonly heatAt?: number;
  /** Starts at 1 and grows by one with each write. */
  readonly version: number;
}
