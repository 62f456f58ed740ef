// Written by `npm run build -- openapi` from the schemas of src/wire. Do not edit.
import type { Json } from './json.ts';

export type ApplicationType = 'private' | 'public' | 'management';

export type OperationName =
  | 'createApplication'
  | 'listApplications'
  | 'getApplicationByKey'
  | 'getApplication'
  | 'updateApplication'
  | 'regenerateApplicationKey'
  | 'createApplicationKey'
  | 'listApplicationKeys'
  | 'getApplicationKey'
  | 'updateApplicationKey'
  | 'deleteApplicationKey'
  | 'deleteApplication'
  | 'listPermissions'
  | 'explainAccess'
  | 'getTenant'
  | 'updateTenant'
  | 'createSession'
  | 'authorizeSession'
  | 'listLogs'
  | 'createProxy'
  | 'listProxies'
  | 'getProxy'
  | 'updateProxy'
  | 'patchProxy'
  | 'deleteProxy'
  | 'listProxyVersions'
  | 'listProxyFailures'
  | 'revertProxy'
  | 'createProxyKey'
  | 'listProxyKeys'
  | 'getProxyKey'
  | 'updateProxyKey'
  | 'deleteProxyKey'
  | 'proxy'
  | 'createReactor'
  | 'listReactors'
  | 'getReactor'
  | 'updateReactor'
  | 'patchReactor'
  | 'deleteReactor'
  | 'invokeReactor'
  | 'getReactorResult'
  | 'listReactorDeliveries'
  | 'resendReactorDelivery'
  | 'getReactorSbom'
  | 'listRuntimes'
  | 'createToken'
  | 'listTokens'
  | 'getToken'
  | 'updateToken'
  | 'deleteToken'
  | 'searchTokens'
  | 'tokenize'
  | 'detokenize'
  | 'runInvocation'
  | 'deliverResult'
  | 'create-tenant'
  | 'create-management-key'
  | 'list-tenants'
  | 'list-keys'
  | 'check-tenant'
  | 'rotate-keys'
  | 'rotate-deployment-key'
  | 'rewrap-roots'
  | 'replace-root'
  | 'rebuild-index'
  | 'reencrypt'
  | 'index-cards'
  | 'destroy-tenant'
  | 'health'
  | 'rotate-webhook-secret'
  | 'list-deliveries'
  | 'resend-delivery'
  | 'allow-hot'
  | 'list-reactors'
  | 'republish-reactors'
  | 'who-saw'
  | 'verify-audit'
  | 'export-audit'
  | 'audit-key';

export type TokenForm =
  | 'reveal'
  | 'mask'
  | 'redact'
  | 'identity'
  | 'examined'
  | 'use'
  | 'create'
  | 'update'
  | 'delete'
  | 'refused';

/** Only this response contains the key. */
export interface ApplicationWithKey {
  readonly id: string;
  readonly tenant_id: string;
  /** The name that its owner gave it. */
  readonly external_id?: string;
  readonly name: string;
  readonly type: ApplicationType;
  readonly permissions: readonly PermissionName[];
  readonly rules: readonly AccessRule[];
  readonly created_by?: string;
  readonly created_at?: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
  readonly expires_at?: string;
  readonly key: string;
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
  | 'reactor:review'
  | 'reactor:update'
  | 'reactor:delete'
  | 'proxy:create'
  | 'proxy:read'
  | 'proxy:review'
  | 'proxy:update'
  | 'proxy:delete'
  | 'tenant:read'
  | 'tenant:update'
  | 'log:read';

export interface AccessRule {
  readonly description?: string | undefined;
  /** From 1; lower numbers come first. */
  readonly priority: number;
  readonly container?: string | undefined;
  readonly conditions?: readonly Condition[] | undefined;
  readonly transform: Transform;
  readonly permissions: readonly PermissionName[];
  readonly through?: Through | undefined;
}

export interface Condition {
  readonly attribute: 'id' | 'container';
  readonly operator: 'starts_with' | 'equals';
  readonly value: string;
}

export type Transform = 'redact' | 'mask' | 'reveal';

export interface Through {
  readonly proxies?: readonly string[] | undefined;
  readonly reactors?: readonly string[] | undefined;
  readonly callbacks?: readonly string[] | undefined;
}

/** An error with the fields of RFC 9457. It never contains data or a key. */
export interface Problem {
  /**
   * The page of the code, if the service has documentation: an address, or a path of the service.
   */
  readonly type?: string;
  readonly title: string;
  readonly status: number;
  /** The error for programs. It is stable, while the words may change. */
  readonly code:
    | 'validation_failed'
    | 'configuration_required'
    | 'unauthenticated'
    | 'key_expired'
    | 'forbidden'
    | 'address_not_allowed'
    | 'not_found'
    | 'method_not_allowed'
    | 'destination_timeout'
    | 'conflict'
    | 'last_manager'
    | 'external_id_taken'
    | 'limit_reached'
    | 'precondition_failed'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'payment_required'
    | 'too_many_requests'
    | 'key_reused'
    | 'reactor_not_loaded'
    | 'reactor_failed'
    | 'destination_unreachable'
    | 'transform_failed'
    | 'dependency_unavailable'
    | 'internal_error'
    | (string & {});
  /** Absent on an unexpected 500. */
  readonly detail?: string;
  /** The problems, by the path of the member (`data.number`, `rules[0].priority`). */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  /** Of `transform_failed`: the status that the destination returned; its answer is not shown. */
  readonly destination_status?: number;
}

export interface Application {
  readonly id: string;
  readonly tenant_id: string;
  /** The name that its owner gave it. */
  readonly external_id?: string;
  readonly name: string;
  readonly type: ApplicationType;
  readonly permissions: readonly PermissionName[];
  readonly rules: readonly AccessRule[];
  readonly created_by?: string;
  readonly created_at?: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
  readonly expires_at?: string;
}

/** Only this response contains the key. */
export interface CreatedApplicationKey {
  readonly id: string;
  readonly name?: string;
  /** The last four characters of the key. */
  readonly hint: string;
  readonly created_at: string;
  readonly created_by?: string;
  readonly expires_at?: string;
  /** The latest day (UTC) on which an instance of the service first accepted it. */
  readonly last_used_on?: string;
  /** Networks in CIDR notation; empty for all. */
  readonly source_addresses: readonly string[];
  readonly key: string;
}

export interface ApplicationKey {
  readonly id: string;
  readonly name?: string;
  /** The last four characters of the key. */
  readonly hint: string;
  readonly created_at: string;
  readonly created_by?: string;
  readonly expires_at?: string;
  /** The latest day (UTC) on which an instance of the service first accepted it. */
  readonly last_used_on?: string;
  /** Networks in CIDR notation; empty for all. */
  readonly source_addresses: readonly string[];
}

export interface Permission {
  readonly type: PermissionName;
  readonly description: string;
  readonly application_types: readonly ApplicationType[];
}

export interface Explanation {
  /** `unknown` if it depends on the id of the token. */
  readonly allowed: boolean | 'unknown';
  /** `null` without access, and if that is not known. */
  readonly transform: Transform | null;
  readonly decided_by: {
    /** The `priority` of the rule, or the top-level permissions. */
    readonly rule: number | 'permissions' | null;
  };
  readonly steps: readonly ExplanationStep[];
}

export interface ExplanationStep {
  /** `null` for a setting of the tenant. */
  readonly rule: number | 'permissions' | null;
  readonly matched: boolean | 'unknown';
  readonly because: string;
}

export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly settings: {
    readonly deduplicate_tokens: boolean;
    readonly ephemeral_proxy: boolean;
  };
  /** What the last change of the configuration as a whole was. */
  readonly configuration_revision: string | null;
  readonly recovered_at: string | null;
  /** The version of the service. */
  readonly service_version: string;
}

/** A session has no access until it is authorized. */
export interface Session {
  /** The API key of the session, once it is authorized. */
  readonly session_key: string;
  /** A server authorizes the session with it. */
  readonly nonce: string;
  readonly expires_at: string;
}

/** One request, or one effect that a request started: ids, names and times, never data. */
export interface LogRecord {
  readonly id: string;
  readonly created_at: string;
  /** By its name in this document, or the name of background work. */
  readonly operation: string;
  readonly outcome: Outcome;
  /** Of the response; absent before there is one. */
  readonly status?: number;
  /** The `id` of the record that was written ahead of an effect of the same request. */
  readonly follows?: string;
  readonly application_id?: string;
  /**
   * `key:<id>`, `session:<id>`, `invocation:<id>`, `proxy:<id>` for a call with the key of a
   * stored proxy alone, or `operator:<principal>`.
   */
  readonly credential?: string;
  /** The stored proxy that the call went through. */
  readonly proxy_id?: string;
  /** The version of it that the call ran. */
  readonly proxy_version?: number;
  readonly source_ip?: string;
  /** The `SVC-TRACE-ID` of the request. */
  readonly trace_id?: string;
  /** The tokens that were shown, used, changed or refused, and how. */
  readonly tokens?: readonly {
    readonly id: string;
    readonly form: TokenForm;
  }[];
  /** Containers of these tokens. */
  readonly containers?: readonly string[];
  /** How many tokens matched a search, if over 100: then only those shown are named. */
  readonly matches?: number;
  /** The number of further containers, for which the record has no room. */
  readonly containers_left_out?: number;
  /** Host of the proxy's destination or of a webhook. */
  readonly destination_host?: string;
  /** The other subject of the request, such as `application:<id>`. */
  readonly resource?: string;
  readonly invocation_id?: string;
  /** Names of changed members and of permissions; no values. */
  readonly change?: {
    readonly members: readonly string[];
    readonly granted?: readonly PermissionName[];
    readonly withdrawn?: readonly PermissionName[];
    readonly bundle?: string;
  };
}

/** How the request ended; `begun` was written ahead of an effect. */
export type Outcome = 'begun' | 'ok' | 'refused' | 'invalid' | 'failed';

/** Only this response contains the key. */
export interface CreatedStoredProxy {
  readonly id: string;
  readonly tenant_id: string;
  /** The name that its owner gave it. */
  readonly external_id?: string;
  /** Counts the changes of the proxy without its configuration, from 1. */
  readonly version: number;
  readonly name: string;
  readonly destination_url: string;
  readonly methods?: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | (string & {}))[];
  readonly paths?: readonly string[];
  readonly request_transforms: readonly StoredProxyTransform[];
  readonly response_transforms: readonly StoredProxyTransform[];
  readonly pass_headers?: readonly string[];
  readonly require_auth: boolean;
  readonly application?: {
    readonly id: string;
  };
  readonly source_addresses: readonly string[];
  readonly client_certificate?: string;
  readonly timeout: number;
  /** Names of the configuration; its values are never shown. */
  readonly configuration_names: readonly string[];
  /** Notes about values of the configuration. */
  readonly configuration_labels?: Readonly<Record<string, string>>;
  readonly created_by: string;
  readonly created_at: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
  readonly key: string;
}

/** One of eight, by its `type`. */
export type StoredProxyTransform =
  | AppendHeaderTransform
  | AppendJsonTransform
  | RemoveHeaderTransform
  | AllowHeadersTransform
  | TokenizeTransform
  | MaskTransform
  | ReactorTransform
  | VerifySignatureTransform
  | VerifyHmacTransform;

export interface AppendHeaderTransform {
  /** Decides which members the transform has. */
  readonly type: 'append_header';
  /** The header. */
  readonly name: string;
  /** May contain `{{ configuration.NAME }}`, and in requests detokenization expressions. */
  readonly value: string;
  /**
   * In answers: the statuses for which the transform runs. By default `2xx` for `append_json` and
   * `tokenize`, else `any`.
   */
  readonly statuses?: '2xx' | 'any' | undefined;
}

export interface AppendJsonTransform {
  /** Decides which members the transform has. */
  readonly type: 'append_json';
  /** A JSONPath to one value, such as `$.card.number`. */
  readonly location: string;
  /** Any JSON. */
  readonly value: Json;
  /**
   * In answers: the statuses for which the transform runs. By default `2xx` for `append_json` and
   * `tokenize`, else `any`.
   */
  readonly statuses?: '2xx' | 'any' | undefined;
}

export interface RemoveHeaderTransform {
  /** Decides which members the transform has. */
  readonly type: 'remove_header';
  /** The header. */
  readonly name: string;
  /**
   * In answers: the statuses for which the transform runs. By default `2xx` for `append_json` and
   * `tokenize`, else `any`.
   */
  readonly statuses?: '2xx' | 'any' | undefined;
}

export interface AllowHeadersTransform {
  /** Decides which members the transform has. */
  readonly type: 'allow_headers';
  /** All other headers are removed. */
  readonly names: readonly string[];
  /**
   * In answers: the statuses for which the transform runs. By default `2xx` for `append_json` and
   * `tokenize`, else `any`.
   */
  readonly statuses?: '2xx' | 'any' | undefined;
}

export interface TokenizeTransform {
  /** Decides which members the transform has. */
  readonly type: 'tokenize';
  /** A JSONPath, also to several values: `$.cards[*]`, `$.cards[-1]`. */
  readonly location: string;
  /**
   * The body of a request to create a token. Without `data`, the value at `location` is the data;
   * expressions of `data` read it as `found`.
   */
  readonly token: Readonly<Record<string, Json>>;
  /** With true, a body without the location passes. By default false. */
  readonly optional?: boolean | undefined;
  /**
   * In answers: with `pass`, the body of a status that it does not run for passes. By default
   * nothing of it does.
   */
  readonly otherwise?: 'pass' | undefined;
  /**
   * In answers: the statuses for which the transform runs. By default `2xx` for `append_json` and
   * `tokenize`, else `any`.
   */
  readonly statuses?: '2xx' | 'any' | undefined;
}

export interface MaskTransform {
  /** Decides which members the transform has. */
  readonly type: 'mask';
  /** The text that takes the place of each match. */
  readonly replacement: string;
  /** A JSONPath to one value, such as `$.card.number`. */
  readonly location?: string | undefined;
  /** Instead of `location`: what to find in any text. */
  readonly matcher?: 'card_number' | 'regex' | undefined;
  /** Of the matcher `regex`: a regular expression in the syntax of RE2. */
  readonly expression?: string | undefined;
  /** With true, an answer with a 2xx status that has nothing to mask fails. By default false. */
  readonly required?: boolean | undefined;
  /**
   * In answers: the statuses for which the transform runs. By default `2xx` for `append_json` and
   * `tokenize`, else `any`.
   */
  readonly statuses?: '2xx' | 'any' | undefined;
}

export interface ReactorTransform {
  /** Decides which members the transform has. */
  readonly type: 'reactor';
  /** The reactor whose code runs. */
  readonly reactor_id: string;
  /**
   * Names the code that the transform runs and its image, in hexadecimal: SHA-256 of the code on
   * node16.
   */
  readonly code_hash?: string | undefined;
  /**
   * With `text`, the code gets and returns the bytes of the body as they are. By default `json`.
   */
  readonly as?: 'json' | 'text' | undefined;
  /**
   * In answers: the statuses for which the transform runs. By default `2xx` for `append_json` and
   * `tokenize`, else `any`.
   */
  readonly statuses?: '2xx' | 'any' | undefined;
}

export interface VerifySignatureTransform {
  /** Decides which members the transform has. */
  readonly type: 'verify_signature';
  /** How the sender signs. */
  readonly scheme: 'standard_webhooks' | 'stripe' | 'github';
  /** The name of the secret in `configuration`. */
  readonly configuration: string;
}

export interface VerifyHmacTransform {
  /** Decides which members the transform has. */
  readonly type: 'verify_signature';
  /** How a sender signs that follows none of the other schemes. */
  readonly scheme: 'hmac';
  /** The name of the secret in `configuration`. */
  readonly configuration: string;
  /** The header that has the signature. */
  readonly header: string;
  /** The hash function. */
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  /** How the signature is written. */
  readonly encoding: 'hex' | 'base64';
  /** How the secret is written; by default `utf8`. */
  readonly key_encoding?: 'utf8' | 'hex' | 'base64' | undefined;
  /** Stands before the signature, such as `sha256=`. */
  readonly prefix?: string | undefined;
  /**
   * What is signed, with `{body}`, `{header:NAME}`, `{timestamp}` and `{url}`; by default
   * `{body}`.
   */
  readonly signed?: string | undefined;
  /**
   * The header that has the time, in seconds since the epoch, and how far it may be from now: 1
   * to 3,600 s; by default 300.
   */
  readonly timestamp?:
    | {
        readonly header: string;
        readonly tolerance_seconds?: number | undefined;
      }
    | undefined;
  /** What identifies a delivery: a signed header, or by default the hash of the `body`. */
  readonly delivery?:
    | 'body'
    | {
        /** A header that is signed. */
        readonly header: string;
      }
    | undefined;
}

export interface StoredProxy {
  readonly id: string;
  readonly tenant_id: string;
  /** The name that its owner gave it. */
  readonly external_id?: string;
  /** Counts the changes of the proxy without its configuration, from 1. */
  readonly version: number;
  readonly name: string;
  readonly destination_url: string;
  readonly methods?: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | (string & {}))[];
  readonly paths?: readonly string[];
  readonly request_transforms: readonly StoredProxyTransform[];
  readonly response_transforms: readonly StoredProxyTransform[];
  readonly pass_headers?: readonly string[];
  readonly require_auth: boolean;
  readonly application?: {
    readonly id: string;
  };
  readonly source_addresses: readonly string[];
  readonly client_certificate?: string;
  readonly timeout: number;
  /** Names of the configuration; its values are never shown. */
  readonly configuration_names: readonly string[];
  /** Notes about values of the configuration. */
  readonly configuration_labels?: Readonly<Record<string, string>>;
  readonly created_by: string;
  readonly created_at: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
}

export interface StoredProxyVersion {
  readonly version: number;
  readonly name: string;
  readonly destination_url: string;
  readonly methods?: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | (string & {}))[];
  readonly paths?: readonly string[];
  readonly request_transforms: readonly StoredProxyTransform[];
  readonly response_transforms: readonly StoredProxyTransform[];
  readonly pass_headers?: readonly string[];
  readonly require_auth: boolean;
  readonly application?: {
    readonly id: string;
  };
  readonly source_addresses: readonly string[];
  readonly client_certificate?: string;
  readonly timeout: number;
  /** Later changes do not delete this version. */
  readonly keep?: true;
  readonly created_by: string;
  readonly created_at: string;
}

export interface StoredProxyFailures {
  readonly data: readonly StoredProxyFailure[];
}

export interface StoredProxyFailure {
  /** The call, as in its response and in the audit trail. */
  readonly trace_id: string;
  readonly at: string;
  readonly side: 'request' | 'response' | (string & {});
  /** The transform in the list of its side, from 0. */
  readonly number: number;
  readonly type:
    | 'append_header'
    | 'append_json'
    | 'remove_header'
    | 'allow_headers'
    | 'tokenize'
    | 'mask'
    | 'reactor'
    | 'verify_signature'
    | (string & {});
  /** The code of the error; absent where the message does not fit the transform. */
  readonly code?: string;
  readonly reason: string;
  /** What the reason is about: places in the body, such as `$.card.holder`, or members. */
  readonly places: readonly string[];
}

export interface Reactor {
  readonly id: string;
  readonly tenant_id: string;
  /** The name that its owner gave it. */
  readonly external_id?: string;
  readonly name: string;
  readonly code: string;
  readonly configuration: Readonly<Record<string, string>>;
  /** Notes about values of the configuration. */
  readonly configuration_labels?: Readonly<Record<string, string>>;
  readonly application?: Application;
  readonly runtime: ReactorRuntime;
  readonly created_by: string;
  readonly created_at: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
}

export interface ReactorRuntime {
  readonly image: 'node16' | 'node24' | (string & {});
  /** So many instances run in advance. */
  readonly warm_concurrency: number;
  /**
   * The packages of the bundle that code can require, with their versions, as their author
   * declared them.
   */
  readonly dependencies?: Readonly<Record<string, string>>;
  /** SHA-256 of the inflated bundle, in lower-case hexadecimal. Present beside `dependencies`. */
  readonly bundle_digest?: string;
  /** Its version of Node.js. */
  readonly node_version: string;
  /** `deprecated`: move to another image. `closed`: takes no new reactors. */
  readonly status: 'current' | 'deprecated' | 'closed' | (string & {});
  /** When support of its Node.js ends. Absent if no end is planned. */
  readonly closes_at?: string;
  /**
   * The function has an earlier version of the image than the deployment, which the operator
   * moves.
   */
  readonly outdated: boolean;
}

/** A reactor for a caller with `reactor:review`, without `reactor:read`. */
export interface ReviewedReactor {
  readonly id: string;
  readonly tenant_id: string;
  /** The name that its owner gave it. */
  readonly external_id?: string;
  readonly name: string;
  /** SHA-256 of the code as UTF-8, in lower-case hexadecimal, in place of the code. */
  readonly code_digest: string;
  /** Names of the configuration, in place of its values. */
  readonly configuration_names: readonly string[];
  /** Notes about values of the configuration. */
  readonly configuration_labels?: Readonly<Record<string, string>>;
  readonly application?: Application;
  readonly runtime: ReactorRuntime;
  readonly created_by: string;
  readonly created_at: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
}

export interface UpdatedReactor {
  readonly id: string;
  readonly tenant_id: string;
  /** The name that its owner gave it. */
  readonly external_id?: string;
  readonly name: string;
  readonly code: string;
  readonly configuration: Readonly<Record<string, string>>;
  /** Notes about values of the configuration. */
  readonly configuration_labels?: Readonly<Record<string, string>>;
  readonly application?: Application;
  readonly runtime: ReactorRuntime;
  readonly created_by: string;
  readonly created_at: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
  readonly _extras?: {
    /** Stored proxies that ran the code before. They fail until they are written again. */
    readonly stopped_proxies?: readonly {
      readonly id: string;
      readonly name: string;
    }[];
    /** Lenient: what is wrong with the code. */
    readonly warnings?: readonly string[];
  };
}

export interface ReactorResponse {
  /** What the `tokenize` block became. */
  readonly tokens?: Json;
  /** Output of the code that is not sensitive. */
  readonly raw?: Json;
}

export interface ParkedDelivery {
  readonly invocation_id: string;
  /** How the run ended. */
  readonly status: 'succeeded' | 'failed' | (string & {});
  /** Attempts since it was last sent. */
  readonly attempts: number;
  /** HTTP status of the response to the last attempt. */
  readonly last_status?: number;
  /**
   * Why the last attempt got no response, such as `connection refused`. `forbidden`: a key that
   * asked for the delivery was revoked, and nothing more is sent.
   */
  readonly last_reason?: string;
  /** When the reactor was invoked. */
  readonly created_at: string;
  /** When the delivery is deleted with its result. */
  readonly deleted_at: string;
}

export interface BillOfMaterials {
  readonly $schema: string;
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.5';
  readonly version: number;
  readonly metadata: {
    readonly component: {
      readonly type: 'application';
      readonly name: string;
      readonly hashes?: readonly {
        readonly alg: 'SHA-256';
        readonly content: string;
      }[];
    };
  };
  /** All packages of the bundle, with their hashes and licences as the lock of npm has them. */
  readonly components: readonly {
    readonly type: 'library';
    readonly 'bom-ref': string;
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly hashes?: readonly {
      readonly alg: 'SHA-512';
      readonly content: string;
    }[];
    readonly licenses?: readonly {
      readonly license: {
        readonly name: string;
      };
    }[];
    readonly externalReferences?: readonly {
      readonly type: 'distribution';
      readonly url: string;
    }[];
  }[];
}

export interface RuntimeImage {
  readonly image: 'node16' | 'node24' | (string & {});
  /** Its version of Node.js. */
  readonly node_version: string;
  /** `deprecated`: move to another image. `closed`: takes no new reactors. */
  readonly status: 'current' | 'deprecated' | 'closed' | (string & {});
  /** When support of its Node.js ends. Absent if no end is planned. */
  readonly closes_at?: string;
  /** Whether new reactors get it. */
  readonly default: boolean;
  /** The packages that code can require beside the SDK. */
  readonly packages: readonly {
    readonly name: string;
    readonly version: string;
    readonly licence: string;
  }[];
}

export type TokenType =
  | 'token'
  | 'card'
  | 'bank'
  | 'card_number'
  | 'us_bank_account_number'
  | 'us_bank_routing_number'
  | 'social_security_number'
  | 'employer_id_number';

/** The Token object: what the caller may see of a token. */
export interface Token {
  readonly id: string;
  readonly tenant_id: string;
  readonly type: TokenType;
  readonly containers: readonly string[];
  /**
   * Under `reveal` the data as sent: `CardData`, `BankData`, a string, or any JSON for the type
   * `token`. Under `mask` the value of the mask; absent if redacted.
   */
  readonly data?: Json;
  readonly mask?: Json;
  /** Equal for equal values of one type within the tenant; absent if the data is redacted. */
  readonly fingerprint?: string;
  readonly fingerprint_expression?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly search_indexes?: readonly string[];
  /** Only within `{{ token: ... }}` expressions, for cards. */
  readonly enrichments?: {
    readonly bin_details?: {
      /** Such as `visa`; `null` if the first digits are in no known range. Names may be added. */
      readonly card_brand: string | null;
      readonly bin_length: number | null;
    } | null;
  };
  readonly expires_at?: string;
  readonly created_by?: string;
  readonly created_at?: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
  readonly _extras?: {
    /** The token existed: this is the existing one. */
    readonly deduplicated?: true;
    /** Members of the request that the existing token did not take over: `data.cvc`. */
    readonly not_stored?: readonly string[];
    /** Members that exceed their share of the page: get the token to see them. */
    readonly omitted?: readonly string[];
  };
}

export interface NewApplication {
  /** Up to 200 characters. */
  readonly name: string;
  /**
   * A name of your own, up to 200 characters, which no other of its kind in the tenant has. It is
   * no secret.
   */
  readonly external_id?: string | undefined;
  /**
   * Decides the permissions that it may have: `public` for browsers, `private` for servers,
   * `management` for operators.
   */
  readonly type: ApplicationType;
  /**
   * Granted on all tokens; data is masked. At least one of `permissions` and `rules` must have an
   * entry.
   */
  readonly permissions?: readonly PermissionName[] | undefined;
  /**
   * In ascending order of `priority`. The first rule that covers the token and grants the
   * permission decides.
   */
  readonly rules?: readonly AccessRule[] | undefined;
  /** ISO 8601; from that time on the key is rejected. */
  readonly expires_at?: string | undefined;
}

export interface ApplicationGrants {
  /** Up to 200 characters. */
  readonly name: string;
  /**
   * A name of your own, up to 200 characters, which no other of its kind in the tenant has.
   * Without it the current one stays; `null` takes it away.
   */
  readonly external_id?: string | null | undefined;
  /**
   * Granted on all tokens; data is masked. At least one of `permissions` and `rules` must have an
   * entry.
   */
  readonly permissions?: readonly PermissionName[] | undefined;
  /**
   * In ascending order of `priority`. The first rule that covers the token and grants the
   * permission decides.
   */
  readonly rules?: readonly AccessRule[] | undefined;
}

export interface NewApplicationKey {
  /** Up to 200 characters. A note for people. */
  readonly name?: string | undefined;
  /** ISO 8601; from that time on the key is rejected. */
  readonly expires_at?: string | undefined;
  /**
   * IPv4 and IPv6 addresses and networks from which requests may present the key: `203.0.113.7`,
   * `2001:db8::/48`. An IPv6 network contains no IPv4 address.
   */
  readonly source_addresses?: readonly string[] | undefined;
}

export interface ApplicationKeyChange {
  /** Up to 200 characters. `null` removes it. */
  readonly name?: string | null | undefined;
  /** ISO 8601, in the future; `null` removes it. */
  readonly expires_at?: string | null | undefined;
  /** Replaces all of them; `null` accepts the key from everywhere. */
  readonly source_addresses?: readonly string[] | null | undefined;
}

export interface AccessQuestion {
  /** An application of the tenant. Send it, or `permissions` and `rules`. */
  readonly application_id?: string | undefined;
  /** Top-level permissions that no application needs to have yet. */
  readonly permissions?: readonly PermissionName[] | undefined;
  /**
   * In ascending order of `priority`. The first rule that covers the token and grants the
   * permission decides.
   */
  readonly rules?: readonly AccessRule[] | undefined;
  /** A permission on tokens. */
  readonly permission:
    | 'token:create'
    | 'token:read'
    | 'token:search'
    | 'token:update'
    | 'token:delete'
    | 'token:use';
  /** The container of a token. A token in several containers needs access in each of them. */
  readonly container: string;
  /**
   * One destination of `token:use`. Without it, the answer is for the ephemeral proxy, whose
   * caller names the destination.
   */
  readonly through?:
    | {
        /** The id of a stored proxy. */
        readonly proxies?: readonly string[] | undefined;
        /** The id of a reactor. */
        readonly reactors?: readonly string[] | undefined;
        /**
         * The address to which the result of the reactor goes. Without it, the caller itself reads
         * the result.
         */
        readonly callback_url?: string | undefined;
      }
    | undefined;
}

export interface TenantChange {
  /** Up to 200 characters. */
  readonly name: string;
  /** An omitted setting is unchanged. */
  readonly settings?:
    | {
        /** Whether tokens are deduplicated by default. */
        readonly deduplicate_tokens?: boolean | undefined;
        /** Whether the ephemeral proxy is on; `true` by default. */
        readonly ephemeral_proxy?: boolean | undefined;
      }
    | undefined;
  /**
   * What the change of the configuration is, up to 200 characters that are no secret. Without it
   * the current one stays; `null` takes it away.
   */
  readonly configuration_revision?: string | null | undefined;
}

export interface SessionGrants {
  /** The nonce of the session. */
  readonly nonce: string;
  /**
   * Granted on all tokens; data is masked. At least one of `permissions` and `rules` must have an
   * entry.
   */
  readonly permissions?: readonly PermissionName[] | undefined;
  /**
   * In ascending order of `priority`. The first rule that covers the token and grants the
   * permission decides.
   */
  readonly rules?: readonly AccessRule[] | undefined;
  /** ISO 8601; the end of the session. */
  readonly expires_at?: string | undefined;
}

export interface NewStoredProxy {
  /** Up to 200 characters. */
  readonly name: string;
  /**
   * A name of your own, up to 200 characters, which no other of its kind in the tenant has. It is
   * no secret.
   */
  readonly external_id?: string | null | undefined;
  /** An https address without expressions, query and fragment, as of the ephemeral proxy. */
  readonly destination_url: string;
  /** What callers may ask for; by default all methods of the proxy. */
  readonly methods?: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[] | undefined;
  /**
   * Paths below the destination that callers may ask for: `/charges`, and with `/*` at the end
   * everything below; `/` is the destination itself. By default all. Upper and lower case differ.
   */
  readonly paths?: readonly string[] | undefined;
  /**
   * Up to 50 strings, which are encrypted and never shown again. A value with fewer than 16
   * characters must be marked as one that may come back: `{ "value": "eu", "public": true }`.
   */
  readonly configuration?:
    | Readonly<
        Record<
          string,
          | string
          | {
              readonly value: string;
              /** It may come back. */
              readonly public?: boolean | undefined;
            }
        >
      >
    | undefined;
  /**
   * Notes about values of the configuration, by their names, of up to 200 characters: no secrets,
   * since reviewers see them. Another value without a label has none.
   */
  readonly configuration_labels?: Readonly<Record<string, string>> | undefined;
  /** Up to 20, in order. */
  readonly request_transforms?: readonly StoredProxyTransform[] | undefined;
  /** Up to 20, in order. */
  readonly response_transforms?: readonly StoredProxyTransform[] | undefined;
  /**
   * Up to 100 names. Where the proxy hides, that is has a `mask`, `tokenize` or `reactor` for
   * answers, these headers of answers pass beside those that always do. No validators and
   * digests, such as `ETag`.
   */
  readonly pass_headers?: readonly string[] | undefined;
  /**
   * By default true: callers also need an API key with `token:use`. With false the key of the
   * proxy alone admits them, and no expression of theirs is evaluated.
   */
  readonly require_auth?: boolean | undefined;
  /**
   * The application whose rights the transforms use; without it those of the caller. Required
   * where `require_auth` is false.
   */
  readonly application?:
    | {
        /** The id of the application. */
        readonly id: string;
      }
    | undefined;
  /** Up to 20 networks from which calls may come; by default all. */
  readonly source_addresses?: readonly string[] | undefined;
  /**
   * A name in `configuration`: a certificate with its private key in PEM, shown to the
   * destination.
   */
  readonly client_certificate?: string | undefined;
  /** In seconds, for all transforms and the destination together. */
  readonly timeout?: number | undefined;
}

export interface StoredProxyChange {
  /** Up to 200 characters. */
  readonly name?: string | undefined;
  /**
   * A name of your own, up to 200 characters, which no other of its kind in the tenant has.
   * Without it the current one stays; `null` takes it away.
   */
  readonly external_id?: string | null | undefined;
  /** An https address without expressions, query and fragment, as of the ephemeral proxy. */
  readonly destination_url?: string | undefined;
  /** What callers may ask for; by default all methods of the proxy. */
  readonly methods?: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[] | null | undefined;
  /**
   * Paths below the destination that callers may ask for: `/charges`, and with `/*` at the end
   * everything below; `/` is the destination itself. By default all. Upper and lower case differ.
   */
  readonly paths?: readonly string[] | null | undefined;
  /**
   * Up to 50 strings, which are encrypted and never shown again. A value with fewer than 16
   * characters must be marked as one that may come back: `{ "value": "eu", "public": true }`.
   * Merged; `null` removes a value. A new secret needs all other secrets again, and another
   * origin or reactor all values.
   */
  readonly configuration?:
    | Readonly<
        Record<
          string,
          | string
          | {
              readonly value: string;
              /** It may come back. */
              readonly public?: boolean | undefined;
            }
          | null
        >
      >
    | undefined;
  /**
   * Notes about values of the configuration, by their names, of up to 200 characters: no secrets,
   * since reviewers see them. Another value without a label has none.
   */
  readonly configuration_labels?: Readonly<Record<string, string | null>> | null | undefined;
  /** Up to 20, in order. */
  readonly request_transforms?: readonly StoredProxyTransform[] | null | undefined;
  /** Up to 20, in order. */
  readonly response_transforms?: readonly StoredProxyTransform[] | null | undefined;
  /**
   * Up to 100 names. Where the proxy hides, that is has a `mask`, `tokenize` or `reactor` for
   * answers, these headers of answers pass beside those that always do. No validators and
   * digests, such as `ETag`.
   */
  readonly pass_headers?: readonly string[] | null | undefined;
  /**
   * By default true: callers also need an API key with `token:use`. With false the key of the
   * proxy alone admits them, and no expression of theirs is evaluated.
   */
  readonly require_auth?: boolean | null | undefined;
  /**
   * The application whose rights the transforms use; without it those of the caller. Required
   * where `require_auth` is false.
   */
  readonly application?:
    | {
        /** The id of the application. */
        readonly id: string;
      }
    | null
    | undefined;
  /** Up to 20 networks from which calls may come; by default all. */
  readonly source_addresses?: readonly string[] | null | undefined;
  /**
   * A name in `configuration`: a certificate with its private key in PEM, shown to the
   * destination.
   */
  readonly client_certificate?: string | null | undefined;
  /** In seconds, for all transforms and the destination together. */
  readonly timeout?: number | null | undefined;
  /**
   * Whether later changes leave the version that is the newest one after this change, beside the
   * last 20. Absent, a new version is not retained, and the mark of the current one stays.
   */
  readonly keep?: boolean | undefined;
  /** Numbers of versions that are retained no longer. */
  readonly free_versions?: readonly number[] | undefined;
}

export interface StoredProxyRevert {
  /** One of the last versions, or a retained one. */
  readonly version: number;
  /**
   * Up to 50 strings, which are encrypted and never shown again. A value with fewer than 16
   * characters must be marked as one that may come back: `{ "value": "eu", "public": true }`.
   * Needed if the version has another origin or other reactors.
   */
  readonly configuration?:
    | Readonly<
        Record<
          string,
          | string
          | {
              readonly value: string;
              /** It may come back. */
              readonly public?: boolean | undefined;
            }
        >
      >
    | undefined;
  /**
   * Notes about values of the configuration, by their names, of up to 200 characters: no secrets,
   * since reviewers see them. Another value without a label has none.
   */
  readonly configuration_labels?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether later changes leave the version that is the newest one after this change, beside the
   * last 20. Absent, a new version is not retained, and the mark of the current one stays.
   */
  readonly keep?: boolean | undefined;
}

export interface NewReactor {
  /** Up to 200 characters. */
  readonly name: string;
  /**
   * A name of your own, up to 200 characters, which no other of its kind in the tenant has. It is
   * no secret.
   */
  readonly external_id?: string | null | undefined;
  /**
   * CommonJS for the Node.js of the image: `module.exports = async (req) => ({ raw, tokenize })`.
   * Up to 50,000 characters; not run now.
   */
  readonly code: string;
  /** Up to 25 strings that the code reads as `req.configuration`. */
  readonly configuration: Readonly<Record<string, string>>;
  /**
   * Notes about values of the configuration, by their names, of up to 200 characters: no secrets,
   * since reviewers see them. Another value without a label has none.
   */
  readonly configuration_labels?: Readonly<Record<string, string>> | undefined;
  /**
   * Where the code runs. Without it, or without a member of it, an update leaves that as it is;
   * `null` is the default of the deployment.
   */
  readonly runtime?:
    | {
        /** The version of Node.js. */
        readonly image?: 'node16' | 'node24' | null | undefined;
        /** So many instances run in advance, from 0 to the number that the deployment allows. */
        readonly warm_concurrency?: number | null | undefined;
        /** Packages of the bundle, with exact versions. `{}` takes all away. */
        readonly dependencies?: Readonly<Record<string, string>> | null | undefined;
        /** Made by `cloakroom reactor bundle`, and never returned. */
        readonly bundle?: string | null | undefined;
        /** Another digest than that of the bundle is refused. */
        readonly bundle_digest?: string | null | undefined;
      }
    | null
    | undefined;
  /**
   * The public or private application with which the code may call the service through `req.bt`.
   */
  readonly application?:
    | {
        /** The id of the application. */
        readonly id: string;
      }
    | undefined;
}

export interface ReactorChange {
  /** Up to 200 characters. */
  readonly name?: string | undefined;
  /**
   * A name of your own, up to 200 characters, which no other of its kind in the tenant has.
   * Without it the current one stays; `null` takes it away.
   */
  readonly external_id?: string | null | undefined;
  /**
   * CommonJS for the Node.js of the image: `module.exports = async (req) => ({ raw, tokenize })`.
   * Up to 50,000 characters; not run now.
   */
  readonly code?: string | undefined;
  /** Merged; `null` removes an entry. */
  readonly configuration?: Readonly<Record<string, string | null>> | undefined;
  /**
   * Notes about values of the configuration, by their names, of up to 200 characters: no secrets,
   * since reviewers see them. Another value without a label has none.
   */
  readonly configuration_labels?: Readonly<Record<string, string | null>> | null | undefined;
  /** `null` removes it. */
  readonly application?:
    | {
        /** The id of the application. */
        readonly id: string | null;
      }
    | null
    | undefined;
  /**
   * Where the code runs. Without it, or without a member of it, an update leaves that as it is;
   * `null` is the default of the deployment.
   */
  readonly runtime?:
    | {
        /** The version of Node.js. */
        readonly image?: 'node16' | 'node24' | null | undefined;
        /** So many instances run in advance, from 0 to the number that the deployment allows. */
        readonly warm_concurrency?: number | null | undefined;
        /** Packages of the bundle, with exact versions. `{}` takes all away. */
        readonly dependencies?: Readonly<Record<string, string>> | null | undefined;
        /** Made by `cloakroom reactor bundle`, and never returned. */
        readonly bundle?: string | null | undefined;
        /** Another digest than that of the bundle is refused. */
        readonly bundle_digest?: string | null | undefined;
      }
    | null
    | undefined;
}

export interface NewTokenMembers {
  /**
   * 3 to 400 characters without `# / \ + ? [ ] | & = % < > { } ^`, or an expression with such a
   * value, like `{{ data.number | alias_card: false, true }}`. Default: a random UUID.
   */
  readonly id?: string | undefined;
  /**
   * Any JSON with expressions in its strings, such as `{{ data.number | reveal_last: 4 }}`. It
   * must evaluate on the data. Default: the type's.
   */
  readonly mask?: Json | undefined;
  /** 1 to 10 paths like `/pci/high/`. Default, also for an empty list: the type's. */
  readonly containers?: readonly string[] | undefined;
  /** Up to 50 strings that are not sensitive, to find the token by. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /**
   * Up to 10 expressions; their values can be searched with `data:"..."`. No plaintext is stored.
   */
  readonly search_indexes?: readonly string[] | undefined;
  /** The input of the fingerprint; it must read `data`. Default: the type's. */
  readonly fingerprint_expression?: string | undefined;
  /**
   * Return an existing token instead of creating a duplicate: one of the same type, fingerprint,
   * containers, mask and data (a `cvc` aside) that does not expire earlier. With `false`, no
   * other request finds this token so.
   */
  readonly deduplicate_token?: boolean | undefined;
  /**
   * ISO 8601, `M/D/YYYY h:mm:ss AM ±hh:mm` or `M/D/YYYY`. From that time on no operation finds
   * the token.
   */
  readonly expires_at?: string | undefined;
}

export interface CardData {
  /** Only digits, not all zero, with a valid check digit (Luhn). */
  readonly number: string;
  readonly expiration_month?: number | string | null | undefined;
  /** Four digits. */
  readonly expiration_year?: number | string | null | undefined;
  /** Deleted after its lifetime, by default 1 hour. */
  readonly cvc?: string | number | null | undefined;
}

export interface BankData {
  /** With a prefix of the ABA (00 to 12, 21 to 32, 61 to 72, 80) and a valid checksum. */
  readonly routing_number: string;
  readonly account_number: string;
}

export interface TokenChangeMembers {
  /** Merged into the mask; `null` removes it. */
  readonly mask?: Json | null | undefined;
  /** Merged; `null` removes all entries. */
  readonly metadata?: Readonly<Record<string, string | null>> | null | undefined;
  /** `null` restores the type's default. */
  readonly containers?: readonly string[] | null | undefined;
  /** `null` removes them. */
  readonly search_indexes?: readonly string[] | null | undefined;
  /** `null` restores the type's default. */
  readonly fingerprint_expression?: string | null | undefined;
  /**
   * Return an existing token instead of creating a duplicate: one of the same type, fingerprint,
   * containers, mask and data (a `cvc` aside) that does not expire earlier. With `false`, no
   * other request finds this token so.
   */
  readonly deduplicate_token?: boolean | undefined;
  /** `null` removes the expiry. */
  readonly expires_at?: string | null | undefined;
}
