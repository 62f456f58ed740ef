import type { Secret } from '../shared/secret.ts';

/** Limits of a reactor (docs/contract.md#limits): numbers of entries, and lengths in characters. */
export const REACTOR_LIMITS = {
  code: 50_000,
  /** Bytes of JSON: a reactor with its configuration fits into one item of the table. */
  codeBytes: 200_000,
  configuration: 25,
  configurationKey: 200,
  configurationValue: 1_000,
  /** Of a request to invoke the reactor, and of the tokens that are filled into its arguments. */
  invocationBytes: 5_000_000,
} as const;

/** Names and values that the code can read. */
export type Configuration = Readonly<Record<string, string>>;

/** The encrypted parts of a reactor. */
export interface ReactorContent {
  readonly code: Secret<string>;
  readonly configuration: Secret<Configuration>;
}

/** The properties of a reactor that a request sets. */
export interface ReactorDefinition extends ReactorContent {
  readonly name: string;
  /** The application as which the code may call the service. */
  readonly applicationId?: string;
}

/** A reactor as stored, with its content encrypted. Times in ms since the epoch. */
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
   * SHA-256 of the code as UTF-8, lower-case hexadecimal: an instance with other code does not run.
   */
  readonly codeHash: string;
  readonly encryptedCode: Buffer;
  readonly encryptedConfiguration: Buffer;
}

/** A reactor (docs/contract.md#the-reactor-object), opened. */
export interface Reactor
  extends Omit<ReactorRecord, 'encryptedCode' | 'encryptedConfiguration'>, ReactorContent {}

/**
 * A change of a reactor's function that is under way. Its writer has until `until`; then the sweep
 * repairs the function.
 */
export interface Operation {
  readonly id: string;
  /** Ms since the epoch. */
  readonly until: number;
}

/** A reactor as it is stored. */
export interface StoredReactor extends ReactorRecord {
  /** Requests treat a reactor that is `creating` or `deleting` as missing. */
  readonly state: 'creating' | 'ready' | 'deleting';
  /** The published version of its function behind `live`; absent until there is one. */
  readonly functionVersion?: string;
  /** The writer that changes the function holds this: one at a time. */
  readonly operation?: Operation;
  /** When unused versions are removed, in ms since the epoch. */
  readonly tidyAt?: number;
  /**
   * When running instances are requested again, in ms since the epoch: the account's quota did not
   * allow them. Until then the reactor starts cold.
   */
  readonly heatAt?: number;
  /** Starts at 1 and increases by one with each write. */
  readonly version: number;
}
