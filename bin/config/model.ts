import type { JsonObject } from '../../src/core/shared/json.ts';

/*
 * The shapes that the parts of `cloakroom config` share: what a file wants, what the service has,
 * and the plan between the two.
 */

export const KINDS = ['applications', 'proxies', 'reactors'] as const;
export type Kind = (typeof KINDS)[number];

/** Kind and name in the file: `applications/checkout`. */
export type Address = `${Kind}/${string}`;

/**
 * Ends the external id of an application or proxy whose first key no target has yet. No name has a
 * `#`, so the next apply knows by it what one that was stopped left.
 */
export const UNFINISHED = '#new';

/** A key by its name in the file, or by its id: `keys/applications/checkout/2026-11`. */
export type KeyAddress = `keys/${Address}/${string}`;

/**
 * Names an application, proxy or reactor: `psp` in this file, `NAMESPACE/psp` of another file, or
 * an id.
 */
export type Reference = string;

/** A literal is in the file itself; the others name where the value is read. */
export type Source =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'env' | 'file' | 'aws-secret'; readonly name: string };

export interface DesiredValue {
  readonly source: Source;
  /** Whether it may come back in answers. Values of reactors are never marked. */
  readonly public: boolean;
  /**
   * Names the value without showing it: `sha256:` and the SHA-256 of a literal in hex, the version
   * id of an `aws-secret`, or which variable or file it is.
   */
  readonly label?: string;
  /** Whether a version id could not be read. The plan then compares no label. */
  readonly labelUnknown: boolean;
}

/**
 * The label that `apply` sends beside a value, and that the plan compares with the one that the
 * service has. It has the mark of a public value too, which the service shows nowhere else.
 */
export function labelOf({ label, public: isPublic }: DesiredValue): string | undefined {
  const parts = [...(label === undefined ? [] : [label]), ...(isPublic ? ['public'] : [])];
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** Where the text of a new key goes. */
export interface KeyTarget {
  readonly kind: 'file' | 'aws-secret';
  readonly name: string;
}

/** A key has a target, or it names an existing key by its id. */
export interface DesiredKey {
  /** Required beside `to`. */
  readonly name?: string;
  readonly expires_at?: string;
  /** Absent beside `id` means that the networks stay as they are, else that all are accepted. */
  readonly source_addresses?: readonly string[];
  readonly to?: KeyTarget;
  readonly id?: string;
}

interface Entry {
  /** The id of a resource made by hand that the entry takes over. */
  readonly adopt?: string;
  readonly name: string;
}

/** `rules` have the form of the API, with a {@link Reference} for each id of `through`. */
export interface DesiredApplication extends Entry {
  readonly type: string;
  readonly permissions: readonly string[];
  readonly rules: readonly JsonObject[];
  readonly expires_at?: string;
  readonly keys: readonly DesiredKey[];
}

/**
 * The members have the form of the API. A transform of the type `reactor` has `reactor`, a
 * {@link Reference}, in place of `reactor_id`. A member that the file does not have is absent.
 */
export interface DesiredProxy extends Entry {
  readonly destination_url: string;
  readonly methods?: readonly string[];
  readonly paths?: readonly string[];
  readonly request_transforms?: readonly JsonObject[];
  readonly response_transforms?: readonly JsonObject[];
  readonly pass_headers?: readonly string[];
  readonly require_auth?: boolean;
  readonly application?: Reference;
  readonly source_addresses?: readonly string[];
  readonly client_certificate?: string;
  readonly timeout?: number;
  readonly configuration: ReadonlyMap<string, DesiredValue>;
  readonly keys: readonly DesiredKey[];
}

/** An absent member is the default of the deployment, and absent packages are none. */
export interface DesiredRuntime {
  readonly image?: string;
  readonly warm_concurrency?: number;
  readonly dependencies?: Readonly<Record<string, string>>;
  /** It has the form of the API. */
  readonly bundle?: string;
  /** Is required beside `bundle`: SHA-256 of the inflated bundle in lower-case hex. */
  readonly bundle_digest?: string;
}

export interface DesiredReactor extends Entry {
  readonly code: string;
  readonly application?: Reference;
  readonly configuration: ReadonlyMap<string, DesiredValue>;
  readonly runtime?: DesiredRuntime;
}

/** `settings` has the settings that the file names; the others stay as they are. */
export interface DesiredTenant {
  readonly name?: string;
  readonly settings?: Readonly<Record<string, boolean>>;
}

/** Everything that a file says, read and checked in its form. */
export interface Desired {
  readonly namespace: string;
  readonly tenant?: DesiredTenant;
  readonly applications: ReadonlyMap<string, DesiredApplication>;
  readonly proxies: ReadonlyMap<string, DesiredProxy>;
  readonly reactors: ReadonlyMap<string, DesiredReactor>;
  /** Leads from the old address to the new one. */
  readonly moved: ReadonlyMap<Address, Address>;
  readonly removed: readonly (Address | KeyAddress)[];
  /** SHA-256 in hex over the file and all files that it names. */
  readonly digest: string;
}

/** A key of an application or a proxy as the API returns it. */
export interface LiveKey {
  readonly etag: string;
  readonly body: JsonObject;
}

/**
 * An application, proxy or reactor as the API returns it to `review`. `body` has every member of
 * the response; the plan refuses one that it does not know. A reactor that was read with its code
 * has `code` in place of `code_digest`, and `configuration` in place of `configuration_names`.
 */
export interface LiveResource {
  readonly id: string;
  readonly etag: string;
  readonly external_id?: string;
  readonly body: JsonObject;
  /**
   * All keys. Needed for every application that has `application:update` and for every application
   * and proxy that the file names; absent for reactors.
   */
  readonly keys?: readonly LiveKey[];
}

/** Knows of the target of a key only the id that it has, never the key. */
export type TargetState =
  | { readonly state: 'unknown' }
  | { readonly state: 'empty' }
  | { readonly state: 'stored'; readonly key_id: string };

/** Everything that the service has, read with rights to review alone. */
export interface Live {
  /** Is the time of the reading in ISO 8601, by the clock of the command. */
  readonly read_at: string;
  /** `body` is the whole response of GET /tenants/self. */
  readonly tenant: { readonly id: string; readonly etag: string; readonly body: JsonObject };
  /** All of the tenant, so that a plan can name those that no file manages. */
  readonly applications: readonly LiveResource[];
  readonly proxies: readonly LiveResource[];
  readonly reactors: readonly LiveResource[];
  /** The image that GET /runtimes marks as the default. */
  readonly default_image: string;
  /** The application of the key that plans. */
  readonly self: { readonly application_id: string };
  /** `applications/checkout/2026-12` is the address of the owner and the name of the key. */
  readonly keyTargets: ReadonlyMap<`${Address}/${string}`, TargetState>;
}

export type Gives = 'more' | 'less or same';

/** One member that differs. The words have no code, no value and no key. */
export interface Difference {
  /** Such as `destination_url` or `request_transforms[0].value`. */
  readonly path: string;
  readonly words: string;
  readonly gives: Gives;
}

export interface PlannedAccess {
  readonly shown: 'nothing' | 'redact' | 'mask' | 'reveal';
  /** Names the only destinations and callbacks of `token:use`. Absent means any. */
  readonly through?: readonly string[];
}

/** One place where an application newly may do something, or no longer may. */
export interface PlannedEffect {
  /**
   * A container, which means also everything below it that no rule names. Absent for calls of
   * proxies and reactors without a token.
   */
  readonly container?: string;
  readonly permission: string;
  readonly before: PlannedAccess;
  readonly after: PlannedAccess;
  readonly gives: Gives;
}

/**
 * - `create`: make the key and store it.
 * - `replace`: make the key, store it, then delete the keys of `replaces`.
 * - `change`: PATCH the living key `id`.
 * - `delete`: `removed` names it.
 * - `none`: it is as the file says.
 * - `unknown`: its target cannot be read. It is no difference.
 */
export type KeyStep = 'create' | 'replace' | 'change' | 'delete' | 'none' | 'unknown';

export interface PlannedKey {
  readonly step: KeyStep;
  /** Absent for a key without a name. */
  readonly name?: string;
  /** The living key, for `change`, `delete`, `none` and `unknown`. */
  readonly id?: string;
  readonly etag?: string;
  /** Describes an `unknown` key, so that others of its name differ. */
  readonly title?: string;
  /** The living keys that no target has after a `replace`. */
  readonly replaces: readonly { readonly id: string; readonly etag: string }[];
  readonly to?: KeyTarget;
  readonly differences: readonly Difference[];
  readonly gives: Gives;
}

/** `adopt` and `rename` set the external id, and write the differences too, if there are any. */
export type Action = 'create' | 'update' | 'delete' | 'adopt' | 'rename' | 'none';

export interface PlannedResource {
  readonly address: Address;
  readonly action: Action;
  /** Is absent for `create`. */
  readonly id?: string;
  readonly etag?: string;
  /** A `rename` has the former address. */
  readonly from?: Address;
  readonly differences: readonly Difference[];
  readonly effects: readonly PlannedEffect[];
  readonly keys: readonly PlannedKey[];
  readonly notes: readonly string[];
  readonly gives: Gives;
}

export interface PlannedTenant {
  readonly id: string;
  readonly etag: string;
  readonly action: 'update' | 'none';
  readonly differences: readonly Difference[];
  readonly gives: Gives;
}

/** The reason why nothing is done: exit 2. `address` is absent for one of the whole file. */
export interface Problem {
  readonly address?: string;
  readonly words: string;
}

/** A difference between a file and a tenant, which `apply` carries out. It is plain JSON. */
export interface Plan {
  readonly namespace: string;
  readonly digest: string;
  readonly tenant: PlannedTenant;
  /** Every address of the file and of `removed`, applications first, by name. */
  readonly resources: readonly PlannedResource[];
  readonly notes: readonly string[];
  /** The ids, by `KIND/NAMESPACE/NAME`, of what the file names of other files. */
  readonly references: Readonly<Record<string, string>>;
  /** Says why no key could manage the tenant afterwards, or not that of the apply. */
  readonly lockout?: string;
  /** Nothing is applied as long as there is one. */
  readonly problems: readonly Problem[];
}
