import type { Labels, LabelsChange } from '../shared/configuration-labels.ts';
import type { Named } from '../shared/external-id.ts';
import type { Secret } from '../shared/secret.ts';
import type { Image, Layer } from './layer.ts';

/**
 * Limits of a reactor (docs/contract.md#limits). They are numbers of entries, and lengths in
 * characters.
 */
export const REACTOR_LIMITS = {
  code: 50_000,
  /** Bytes of JSON, so that a reactor with its configuration fits into one item of the table. */
  codeBytes: 200_000,
  configuration: 25,
  /** Packages of a bundle that code can require. */
  packages: 20,
  configurationKey: 200,
  configurationValue: 1_000,
  /**
   * Most bytes of a request to invoke the reactor, and of the tokens that are filled into its
   * arguments.
   */
  invocationBytes: 5_000_000,
} as const;

/** Names and values that the code can read. */
export type Configuration = Readonly<Record<string, string>>;

/** The parts of a reactor that are encrypted when it is stored. */
export interface ReactorContent {
  readonly code: Secret<string>;
  readonly configuration: Secret<Configuration>;
}

/** Each name of a package has its exact version. */
export type Dependencies = Readonly<Record<string, string>>;

/** The members of a runtime that a request sets. `null` is the default of the deployment. */
export interface RuntimeChange {
  readonly image?: Image | null;
  readonly warmConcurrency?: number | null;
  /** Without it the reactor keeps its packages. */
  readonly packages?: SentPackages;
}

/** The packages of its own that a request gives a reactor. */
export interface SentPackages {
  /** They are empty to take the packages away. */
  readonly dependencies?: Dependencies;
  /** It is base64 (`package-bundle.ts`). */
  readonly bundle?: Secret<string>;
  /** The request is about packages with this digest. */
  readonly digest?: string;
}

/** The packages of a reactor's own, as its record names them. Their text is stored beside it. */
export interface PackagesRecord {
  /** It is SHA-256 of their bundle, in lower-case hexadecimal. */
  readonly digest: string;
  /** They have the syntax of this image. */
  readonly image: Image;
  /** The packages that code requires by name. */
  readonly dependencies: Dependencies;
  /** Their parts have this id, which is another one after each write of them. */
  readonly id: string;
  /** The size of its encrypted text, by which its parts are found. */
  readonly bytes: number;
}

/** The members of a reactor that a request sets. */
export interface ReactorDefinition extends ReactorContent {
  readonly name: string;
  /** Another external id; `null` takes it away, and without it a reactor has its own. */
  readonly externalId?: string | null;
  /** Values of the configuration get these labels. */
  readonly labels?: LabelsChange['labels'];
  /** The application as which the code may call the service. */
  readonly applicationId?: string;
  /** Without it, and without a member of it, a reactor stays as it is. */
  readonly runtime?: RuntimeChange;
}

/** A reactor with its content encrypted. Times are in ms since the epoch. */
export interface ReactorRecord extends Named {
  readonly name: string;
  readonly applicationId?: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly modifiedBy?: string;
  readonly modifiedAt?: number;
  /** The code runs on it. */
  readonly image: Image;
  /**
   * The hash of code, image and packages (`code-hash.ts`). An instance with another one does not
   * run.
   */
  readonly codeHash: string;
  /** It is absent for a reactor without packages of its own. */
  readonly packages?: PackagesRecord;
  /**
   * The number of running instances that its owner asks for. If absent, it is that of the
   * deployment (`hotConcurrency`), and with 0 it never waits for any.
   */
  readonly warmConcurrency?: number;
  readonly encryptedCode: Buffer;
  readonly encryptedConfiguration: Buffer;
  /** Absent if no value of the configuration has a label. */
  readonly configurationLabels?: Labels;
}

/** A reactor whose content is opened (docs/contract.md#the-reactor-object). */
export interface Reactor
  extends Omit<ReactorRecord, 'encryptedCode' | 'encryptedConfiguration'>, ReactorContent {}

/**
 * A change of a reactor's function that is under way. Its writer has time until `until`; then the
 * sweep repairs the function.
 */
export interface Operation {
  readonly id: string;
  /** In ms since the epoch. */
  readonly until: number;
  /** Set if a roll moves the function to another layer, for which its owner waits. */
  readonly by?: 'roll';
}

/** Why the move to another layer left a reactor on its own one. */
export const STAY_REASONS = [
  /** The code loads on its layer, and not on the other one. */
  'not_loaded',
  /** Lambda refused a call, or the function failed. */
  'failed',
  /** There is no function, as after a restore. The next call of the reactor makes it. */
  'gone',
  /** The tags of the function are those of another reactor. */
  'foreign',
  /** The latest code of the function is not the code in force. */
  'changed',
  /** The function is for another processor than the layer. */
  'architecture',
] as const;

export type StayReason = (typeof STAY_REASONS)[number];

export interface Stay {
  /** The roll that left it has this id. */
  readonly roll: string;
  readonly reason: StayReason;
}

/** The version of a reactor's function that is behind `live`. */
export interface MadeVersion {
  readonly functionVersion: string;
  /** The layer that it runs on. */
  readonly layer: Layer;
}

/**
 * The part of a reactor in the deployment's budget of running instances: it waits for some, or has
 * them.
 */
export interface Heat {
  readonly state: 'waiting' | 'hot';
  /** In ms since the epoch. */
  readonly since: number;
}

/** A reactor, and the state that its function is in. */
export interface StoredReactor extends ReactorRecord, Partial<MadeVersion> {
  /** Requests treat a reactor that is `creating` or `deleting` as missing. */
  readonly state: 'creating' | 'ready' | 'deleting';
  /** The time since which its function has the layer, in ms since the epoch. */
  readonly layerSince?: number;
  /** Present if the last roll to another layer left it on its own one. */
  readonly stayed?: Stay;
  /** The change of the function under way. Only one writer at a time may have it. */
  readonly operation?: Operation;
  /** Unused versions are removed at this time, in ms since the epoch. */
  readonly tidyAt?: number;
  /** The day of its last call, which is YYYY-MM-DD in UTC; absent before the first one. */
  readonly calledOn?: string;
  /** Absent for a reactor that gave up its running instances, and starts cold. */
  readonly heat?: Heat;
  /** Starts at 1 and increases by one with each write. */
  readonly version: number;
}
