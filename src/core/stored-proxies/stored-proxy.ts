import type { ApplicationKey } from '../applications/application-key.ts';
import type { Labels } from '../shared/configuration-labels.ts';
import type { Named } from '../shared/external-id.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import type { Signature } from './signature.ts';

/**
 * Limits of a stored proxy (docs/contract.md#limits). They are numbers of entries, lengths in
 * characters, bytes of JSON, and seconds.
 */
export const STORED_PROXY_LIMITS = {
  /** Proxies of a tenant. */
  proxies: 500,
  keys: 4,
  /** Deleted keys that are remembered, each for 30 days. Beyond it no key is created. */
  retiredKeys: 100,
  versions: 20,
  /** Versions that later changes do not delete. */
  retainedVersions: 5,
  methods: 5,
  paths: 50,
  path: 200,
  configuration: 50,
  configurationName: 100,
  configurationValue: 20_000,
  /** All names and values of a configuration, so that a proxy fits into one item of the table. */
  configurationBytes: 100_000,
  /** All values that a proxy had and that are still removed from responses. */
  retiredBytes: 100_000,
  /** The shortest value that is not marked as public: shorter ones occur by chance. */
  secretMin: 16,
  /** Requests and responses each have so many. */
  transforms: 20,
  /** Bytes of bodies that all transforms of one call read. */
  transformedBytes: 20_000_000,
  /** Tokens that all transforms of one call make. */
  tokens: 100,
  /** Everything that a version has. */
  definitionBytes: 100_000,
  headerName: 100,
  headerValue: 8_000,
  headers: 100,
  /** The regular expression of a mask, in UTF-16 code units. */
  expression: 1_000,
  replacement: 200,
  timeoutSeconds: 25,
} as const;

/** The methods that a proxy may admit: those of the ephemeral proxy. */
export const PROXY_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type ProxyMethod = (typeof PROXY_METHODS)[number];

export const MATCHERS = ['card_number', 'regex'] as const;

/** The statuses of responses for which a transform can run. */
export const STATUSES = ['2xx', 'any'] as const;

/** Members of every transform of responses. */
interface OfResponses {
  /** The default is `2xx` for `append_json` and `tokenize`, and `any` for others. */
  readonly statuses?: (typeof STATUSES)[number];
}

/** Sets a header. On the way out, the value may have expressions. */
export interface AppendHeader extends OfResponses {
  readonly type: 'append_header';
  readonly name: string;
  readonly value: string;
}

/** Sets the value at a JSONPath. On the way out, it may have detokenization expressions. */
export interface AppendJson extends OfResponses {
  readonly type: 'append_json';
  readonly location: string;
  readonly value: Json;
}

export interface RemoveHeader extends OfResponses {
  readonly type: 'remove_header';
  readonly name: string;
}

/** Removes all other headers. */
export interface AllowHeaders extends OfResponses {
  readonly type: 'allow_headers';
  readonly names: readonly string[];
}

/** `tokenize` does this with a response whose status it does not run for. */
export const OTHERWISE = ['pass'] as const;

/** Makes a token of each value at a JSONPath, whose place the id of the token takes. */
export interface TokenizeValue extends OfResponses {
  readonly type: 'tokenize';
  /** May have `[*]` and negative indexes. */
  readonly location: string;
  /**
   * The body of a request to create a token. Expressions of `data` read the value as `found`;
   * without `data` the value is the data.
   */
  readonly token: JsonObject;
  /** Whether a body without the location passes. */
  readonly optional?: boolean;
  /** By default nothing of the body passes. */
  readonly otherwise?: (typeof OTHERWISE)[number];
}

/** Replaces the value at a JSONPath, or whatever a matcher finds in any text. */
export interface MaskValue extends OfResponses {
  readonly type: 'mask';
  readonly location?: string;
  readonly matcher?: (typeof MATCHERS)[number];
  /** The matcher `regex` needs it, in the syntax of RE2. */
  readonly expression?: string;
  readonly replacement: string;
  /** Whether a success without anything to mask fails. */
  readonly required?: boolean;
}

/** How code reads and writes a body: as JSON where it is JSON, or always as it is. */
export const BODY_FORMS = ['json', 'text'] as const;

/** Runs the code of a reactor, which has this hash. */
export interface RunReactor extends OfResponses {
  readonly type: 'reactor';
  readonly reactorId: string;
  readonly codeHash: string;
  /** The default is `json`. */
  readonly as?: (typeof BODY_FORMS)[number];
}

/** Admits only requests that a partner signed with a secret of the configuration. */
export type VerifySignature = {
  readonly type: 'verify_signature';
  readonly configuration: string;
} & Signature;

/** A transform that works in both directions. */
type EitherTransform = AppendHeader | AppendJson | RemoveHeader | AllowHeaders | TokenizeValue | RunReactor;

export type RequestTransform = EitherTransform | VerifySignature;
export type ResponseTransform = EitherTransform | MaskValue;
export type Transform = RequestTransform | ResponseTransform;

export const TRANSFORM_TYPES = [
  'append_header',
  'append_json',
  'remove_header',
  'allow_headers',
  'tokenize',
  'mask',
  'reactor',
  'verify_signature',
] as const satisfies readonly Transform['type'][];

/** A version of a proxy. A call runs one version whole. */
export interface ProxyDefinition {
  readonly name: string;
  /** Absolute, without expressions, query and fragment. */
  readonly destinationUrl: string;
  /** Callers may use these; absent for all. */
  readonly methods?: readonly ProxyMethod[];
  /** Patterns of the path below the destination, such as `/charges/*`; absent for all. */
  readonly paths?: readonly string[];
  readonly requestTransforms: readonly RequestTransform[];
  readonly responseTransforms: readonly ResponseTransform[];
  /** Headers of responses that pass beside those of the list, where the proxy hides. */
  readonly passHeaders?: readonly string[];
  /** False if the key of the proxy alone admits a caller. */
  readonly requireAuth: boolean;
  /** The application whose rights the transforms use; absent for those of the caller. */
  readonly applicationId?: string;
  /** Networks in CIDR notation from which calls may come; empty for all. */
  readonly sourceAddresses: readonly string[];
  /** The name of the configuration value that is shown to the destination as a certificate. */
  readonly clientCertificate?: string;
  /** For all transforms and the destination together, in seconds. */
  readonly timeoutSeconds: number;
}

/** A value of a configuration. A public one may come back in responses. */
export interface ConfigurationValue {
  readonly value: string;
  readonly isPublic: boolean;
}

/** Secrets and other values of a proxy, by name. No response of the service shows them. */
export type ProxyConfiguration = Readonly<Record<string, ConfigurationValue>>;

/** Secrets that a change replaced, dropped or made public. Responses still must not have them. */
export interface RetiredSecrets {
  /** Where they were used: responses of other origins are not searched for them. */
  readonly origin: string;
  /** The application that had set them. */
  readonly author: string;
  /** They are removed until this time, in ms since the epoch. */
  readonly until: number;
  readonly values: Readonly<Record<string, string>>;
}

/** Code of a reactor that a proxy runs. */
export type Pin = Pick<RunReactor, 'reactorId' | 'codeHash'>;

/** A stored proxy, with its content encrypted. Times are in ms since the epoch. */
export interface StoredProxy extends Named {
  /** Starts at 1, and increases with each change of the definition. */
  readonly definitionVersion: number;
  readonly encryptedDefinition: Buffer;
  /** The codes that the definition runs. Absent if an earlier release changed it last. */
  readonly pins?: readonly Pin[];
  /** The numbers of the versions that later changes do not delete. Absent if there are none. */
  readonly retainedVersions?: readonly number[];
  /** The name, which a list compares without opening the definition. */
  readonly encryptedName: Buffer;
  readonly configurationNames: readonly string[];
  readonly encryptedConfiguration: Buffer;
  /** Absent if no value of the configuration has a label. */
  readonly configurationLabels?: Labels;
  /** The application that set the secrets: all of them, as setting one needs the others. */
  readonly secretAuthor: string;
  /** Secrets that it had: {@link RetiredSecrets}. Absent if it had none. */
  readonly encryptedRetired?: Buffer;
  readonly keys: readonly ApplicationKey[];
  readonly createdBy: string;
  readonly createdAt: number;
  readonly modifiedBy?: string;
  readonly modifiedAt?: number;
  /** Increases by one with each write. */
  readonly version: number;
}

/** A list reads these of each proxy, to count, and to compare names and pins. */
export interface ListedProxy extends Pick<StoredProxy, 'id' | 'tenantId' | 'encryptedName' | 'pins'> {
  /** The size of what a page shows of it: its definition, names and labels. */
  readonly bytes: number;
}

/** A version of a proxy. Configuration and keys have no versions. */
export interface StoredVersion {
  readonly version: number;
  readonly encryptedDefinition: Buffer;
  readonly createdBy: string;
  readonly createdAt: number;
}

/** The version that a proxy has now. */
export const versionOf = (
  { definitionVersion, encryptedDefinition }: StoredProxy,
  by: { readonly createdBy: string; readonly createdAt: number },
): StoredVersion => ({
  version: definitionVersion,
  encryptedDefinition,
  ...by,
});

/** A proxy whose definition is opened. The configuration stays encrypted. */
export interface Proxy {
  readonly stored: StoredProxy;
  readonly definition: ProxyDefinition;
}

/** A version whose definition is opened. */
export interface ProxyVersion extends Pick<StoredVersion, 'version' | 'createdBy' | 'createdAt'> {
  readonly definition: ProxyDefinition;
  /** Whether later changes do not delete it. */
  readonly isRetained: boolean;
}

/** Whether a proxy no longer has a version: it is not among the last ones, nor retained. */
export const hasDeleted = (
  { definitionVersion, retainedVersions }: Pick<StoredProxy, 'definitionVersion' | 'retainedVersions'>,
  version: number,
): boolean =>
  version <= definitionVersion - STORED_PROXY_LIMITS.versions && retainedVersions?.includes(version) !== true;

/** A configuration that is opened for one call. */
export type OpenConfiguration = Secret<ProxyConfiguration>;

/**
 * A value of the configuration that the definition names. Each write checks that it is there; if it
 * is not all the same, the call must fail and not go without a secret or a certificate.
 */
export function configuredValue(configuration: ProxyConfiguration, name: string): string {
  const found = Object.hasOwn(configuration, name) ? configuration[name] : undefined;
  if (found === undefined) throw new Error('proxy: the configuration lacks a value that it names');
  return found.value;
}
