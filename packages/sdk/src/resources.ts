import type { FieldErrors } from './errors.ts';
import type { AsJson, Json } from './json.ts';

export type TokenType =
  | 'token'
  | 'card'
  | 'bank'
  | 'card_number'
  | 'us_bank_account_number'
  | 'us_bank_routing_number'
  | 'social_security_number'
  | 'employer_id_number';

export interface CardData {
  /** 12 to 19 digits, without separators. */
  readonly number: string;
  readonly expiration_month?: number | string | null | undefined;
  /** Four digits. */
  readonly expiration_year?: number | string | null | undefined;
  /** Three or four digits; deleted at the end of its lifetime, which the operator sets. */
  readonly cvc?: string | number | null | undefined;
}

export interface BankData {
  /** Nine digits (ABA). */
  readonly routing_number: string;
  readonly account_number: string;
}

/** The data of each token type; `D` is that of the type `token`. */
export interface TokenData<D = Exclude<Json, null>> {
  readonly token: D & AsJson<D> & {};
  readonly card: CardData;
  readonly bank: BankData;
  readonly card_number: string;
  readonly us_bank_account_number: string;
  readonly us_bank_routing_number: string;
  readonly social_security_number: string;
  readonly employer_id_number: string;
}

export interface Token {
  readonly id: string;
  readonly tenant_id: string;
  readonly type: TokenType;
  /** Under the caller's transform; absent if it is `redact`. */
  readonly data?: Json;
  readonly mask?: Json;
  /** Equal for equal data of one type. Absent after an update without `token:read`. */
  readonly fingerprint?: string;
  readonly containers: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly search_indexes?: readonly string[];
  readonly fingerprint_expression?: string;
  readonly expires_at?: string;
  readonly created_by?: string;
  readonly created_at?: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
  /**
   * `deduplicated`: this is the existing token. `not_stored`: members that it did not take over.
   * `omitted`: members that exceed their share of a page; retrieve the token to read them.
   */
  readonly _extras?: {
    readonly deduplicated?: boolean;
    readonly not_stored?: readonly string[];
    readonly omitted?: readonly string[];
  };
}

/** In a change, `null` removes a member, or restores the default of the type (RFC 7386). */
export interface TokenChange<D = Exclude<Json, null> | Partial<CardData | BankData>> {
  /** Merged into the existing metadata. */
  readonly data?: (D & AsJson<D> & {}) | undefined;
  readonly mask?: Json | undefined;
  readonly containers?: readonly string[] | null | undefined;
  readonly metadata?: Readonly<Record<string, string | null>> | null | undefined;
  readonly search_indexes?: readonly string[] | null | undefined;
  readonly fingerprint_expression?: string | null | undefined;
  readonly deduplicate_token?: boolean | undefined;
  readonly expires_at?: string | null | undefined;
}

export interface NewTokenOf<T extends TokenType, D = Exclude<Json, null>> {
  readonly type: T;
  readonly data: TokenData<D>[T];
  /** A string of 3 to 400 characters, or an expression; a UUID by default. */
  readonly id?: string | undefined;
  readonly mask?: Json | undefined;
  readonly containers?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly search_indexes?: readonly string[] | undefined;
  readonly fingerprint_expression?: string | undefined;
  readonly deduplicate_token?: boolean | undefined;
  /** `M/D/YYYY`, `M/D/YYYY h:mm:ss AM ±hh:mm`, or ISO 8601. */
  readonly expires_at?: string | undefined;
}

export type NewToken<D = Exclude<Json, null>> = {
  readonly [T in TokenType]: NewTokenOf<T, D>;
}[TokenType];

/**
 * The result of `tokenize`: a token for an object with `type` and `data`, the id of a token for any
 * other primitive.
 */
export type Tokenized<T> = Json extends T
  ? Json
  : T extends null | undefined
    ? T
    : T extends string | number | boolean
      ? string
      : T extends { readonly type: unknown; readonly data: unknown }
        ? Token
        : { readonly [K in keyof T]: Tokenized<T[K]> };

/**
 * The result of `detokenize`: a string may become any type, since a lone expression keeps the type
 * of its value.
 */
export type Detokenized<T> = Json extends T
  ? Json
  : T extends string
    ? Json
    : T extends number | boolean | null | undefined
      ? T
      : { readonly [K in keyof T]: Detokenized<T[K]> };

export interface Condition {
  readonly attribute: 'id' | 'container';
  readonly operator: 'equals' | 'starts_with';
  readonly value: string;
}

export type PermissionName =
  | 'token:create'
  | 'token:read'
  | 'token:search'
  | 'token:update'
  | 'token:delete'
  | 'token:use'
  | 'application:create'
  | 'application:read'
  | 'application:update'
  | 'application:delete'
  | 'reactor:create'
  | 'reactor:read'
  | 'reactor:update'
  | 'reactor:delete'
  | 'tenant:read'
  | 'tenant:update'
  | 'log:read';

export type Transform = 'redact' | 'mask' | 'reveal';

export interface AccessRule {
  readonly description?: string | undefined;
  /** From 1; the lowest matching one decides. */
  readonly priority: number;
  /** Matches tokens in it and below it, such as `/pci/`. */
  readonly container?: string | undefined;
  /** For sessions, instead of `container`; all must match. */
  readonly conditions?: readonly Condition[] | undefined;
  readonly transform: Transform;
  readonly permissions: readonly PermissionName[];
}

export type ApplicationType = 'public' | 'private' | 'management';

export interface Application {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly type: ApplicationType;
  readonly permissions?: readonly PermissionName[];
  readonly rules?: readonly AccessRule[];
  readonly expires_at?: string;
  readonly created_by?: string;
  readonly created_at?: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
}

/** Only create and regenerate return it. */
export interface ApplicationWithKey extends Application {
  readonly key: string;
}

/** One of `permissions` and `rules` must have an entry. */
export interface ApplicationGrants {
  /** At most 200 characters. */
  readonly name: string;
  readonly permissions?: readonly PermissionName[] | undefined;
  readonly rules?: readonly AccessRule[] | undefined;
}

export interface NewApplication extends ApplicationGrants {
  readonly type: ApplicationType;
  /** ISO 8601. */
  readonly expires_at?: string | undefined;
}

export interface Permission {
  readonly type: PermissionName;
  readonly description: string;
  readonly application_types: readonly ApplicationType[];
}

export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly settings: { readonly deduplicate_tokens: boolean };
}

/** Omitted settings are unchanged. */
export interface TenantChange {
  readonly name: string;
  readonly settings?: { readonly deduplicate_tokens?: boolean | undefined } | undefined;
}

export type Outcome = 'begun' | 'ok' | 'refused' | 'invalid' | 'failed';

export type TokenForm =
  'reveal' | 'mask' | 'redact' | 'identity' | 'examined' | 'use' | 'create' | 'update' | 'delete' | 'refused';

/** One request, or one effect that a request started (docs/contract.md#audit-trail). */
export interface LogRecord {
  readonly id: string;
  readonly created_at: string;
  /** Such as `getToken`. */
  readonly operation: string;
  /** `begun` was written ahead of an effect. */
  readonly outcome: Outcome;
  /** Of the response; absent before there is one. */
  readonly status?: number;
  /** The `id` of the record that was written ahead, whose request has ended so. */
  readonly follows?: string;
  readonly application_id?: string;
  /** `application`, `session:<id>`, `invocation:<id>` or `operator:<principal>`. */
  readonly credential?: string;
  readonly source_ip?: string;
  readonly trace_id?: string;
  readonly tokens?: readonly { readonly id: string; readonly form: TokenForm }[];
  readonly containers?: readonly string[];
  readonly containers_left_out?: number;
  /** How many tokens matched a search, if they are too many to be named. */
  readonly matches?: number;
  /** Of the proxy, or of a webhook. */
  readonly destination_host?: string;
  /** The other subject of the request, such as `application:<id>`. */
  readonly resource?: string;
  readonly invocation_id?: string;
  /** Names, never values. */
  readonly change?: {
    readonly members: readonly string[];
    readonly granted?: readonly PermissionName[];
    readonly withdrawn?: readonly PermissionName[];
  };
}

export interface Session {
  /** The `apiKey` of a client, once the session is authorized. */
  readonly session_key: string;
  /** A server authorizes the session with it. */
  readonly nonce: string;
  readonly expires_at: string;
}

/** One of `permissions` and `rules` must have an entry. */
export interface SessionGrants {
  readonly nonce: string;
  readonly permissions?: readonly PermissionName[] | undefined;
  readonly rules?: readonly AccessRule[] | undefined;
  /** ISO 8601. */
  readonly expires_at?: string | undefined;
}

export interface Reactor {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly code: string;
  readonly configuration: Readonly<Record<string, string>>;
  readonly application?: Application;
  readonly created_by?: string;
  readonly created_at?: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
}

export interface NewReactor {
  /** At most 200 characters. */
  readonly name: string;
  /** CommonJS for Node.js 16 whose `module.exports` is a function. */
  readonly code: string;
  readonly configuration: Readonly<Record<string, string>>;
  /** Public or private; the code acts as this application through `req.bt`. */
  readonly application?: { readonly id: string } | undefined;
}

export interface ReactorChange {
  readonly name?: string | undefined;
  readonly code?: string | undefined;
  /** `null` removes an entry. */
  readonly configuration?: Readonly<Record<string, string | null>> | undefined;
  readonly application?: { readonly id: string } | null | undefined;
}

export type ReactArgs = string | readonly Json[] | { readonly [name: string]: Json };

export interface ReactRequest<A extends string | object = ReactArgs> {
  /** May contain detokenization expressions, or be one. */
  readonly args?: (A & AsJson<A>) | undefined;
}

export interface AsyncReactRequest<A extends string | object = ReactArgs> extends ReactRequest<A> {
  /** https; the service delivers the result there, as a signed webhook. */
  readonly callback_url: string;
  /** 10,000 to 210,000; 10,000 by default. */
  readonly timeout_ms?: number | undefined;
}

export interface ReactorResponse {
  /** The result of the code's `tokenize`. */
  readonly tokens?: Json;
  readonly raw?: Json;
}

/** An error of the service (RFC 9457). */
export interface Problem {
  readonly title: string;
  readonly status: number;
  /** The error for programs (docs/api.md#errors). */
  readonly code: string;
  readonly detail?: string;
  readonly errors?: FieldErrors;
}

/** An asynchronous invocation that has ended: its response, or the error of its code. */
export type EndedInvocation =
  | { readonly id: string; readonly status: 'succeeded'; readonly result: ReactorResponse }
  | { readonly id: string; readonly status: 'failed'; readonly result: Problem };

/** The content of a webhook: a result, its reactor, and the application that invoked it. */
export type DeliveredInvocation = EndedInvocation & {
  readonly reactor_id?: string;
  /** For a session, the application that authorized it. */
  readonly application_id?: string;
};

export type InvocationResult =
  | EndedInvocation
  | { readonly id: string; readonly status: 'queued' | 'running'; readonly result?: undefined };
