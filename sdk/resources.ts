/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export type TokenType =
  | 'token'
  | 'card'
  | 'bank'
  | 'card_number'
  | 'us_bank_account_number'
  | 'us_bank_routing_number'
  | 'social_security_number'
  | 'employer_id_number';

export interface Token {
  readonly id: string;
  readonly tenant_id: string;
  readonly type: TokenType;
  /** As the caller's rules show it; absent where they redact. */
  readonly data?: Json;
  readonly mask?: Json;
  readonly fingerprint: string;
  readonly containers: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly search_indexes?: readonly string[];
  readonly fingerprint_expression?: string;
  readonly expires_at?: string;
  readonly created_by?: string;
  readonly created_at?: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
  readonly _extras?: { readonly deduplicated?: boolean };
}

/** Of a change `null` stands for removal, as in a merge patch (RFC 7386). */
export interface TokenChange {
  readonly data?: Json;
  readonly mask?: Json;
  readonly containers?: readonly string[] | null;
  readonly metadata?: Readonly<Record<string, string | null>> | null;
  readonly search_indexes?: readonly string[] | null;
  readonly fingerprint_expression?: string | null;
  readonly deduplicate_token?: boolean;
  readonly expires_at?: string | null;
}

export interface NewToken {
  readonly id?: string;
  readonly type: TokenType;
  readonly data: Json;
  readonly mask?: Json;
  readonly containers?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly search_indexes?: readonly string[];
  readonly fingerprint_expression?: string;
  readonly deduplicate_token?: boolean;
  readonly expires_at?: string;
}

export interface Condition {
  readonly attribute: 'id' | 'container';
  readonly operator: 'equals' | 'starts_with';
  readonly value: string;
}

export interface AccessRule {
  readonly description?: string;
  readonly priority: number;
  readonly container?: string;
  readonly conditions?: readonly Condition[];
  readonly transform: 'redact' | 'mask' | 'reveal';
  readonly permissions: readonly string[];
}

export type ApplicationType = 'public' | 'private' | 'management';

export interface Application {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly type: ApplicationType;
  /** In the answers of create and regenerate alone. */
  readonly key?: string;
  readonly permissions?: readonly string[];
  readonly rules?: readonly AccessRule[];
  readonly expires_at?: string;
  readonly created_by?: string;
  readonly created_at?: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
}

export interface ApplicationGrants {
  readonly name: string;
  readonly permissions?: readonly string[];
  readonly rules?: readonly AccessRule[];
}

export interface NewApplication extends ApplicationGrants {
  readonly type: ApplicationType;
  readonly expires_at?: string;
}

export interface Permission {
  readonly type: string;
  readonly description: string;
  readonly application_types: readonly ApplicationType[];
}

export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly settings: { readonly deduplicate_tokens: boolean };
}

export interface Session {
  readonly session_key: string;
  readonly nonce: string;
  readonly expires_at: string;
}

export interface SessionGrants {
  readonly nonce: string;
  readonly permissions?: readonly string[];
  readonly rules?: readonly AccessRule[];
  readonly expires_at?: string;
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
  readonly name: string;
  readonly code: string;
  readonly configuration: Readonly<Record<string, string>>;
  readonly application?: { readonly id: string };
}

export interface ReactorChange {
  readonly name?: string;
  readonly code?: string;
  /** `null` removes an entry. */
  readonly configuration?: Readonly<Record<string, string | null>>;
  readonly application?: { readonly id: string } | null;
}

export interface ReactRequest {
  /** May hold detokenization expressions, or be one. */
  readonly args?: Json;
}

export interface AsyncReactRequest extends ReactRequest {
  /** Where the result is delivered, as a signed webhook. */
  readonly callback_url: string;
  /** 10000 to 210000. */
  readonly timeout_ms?: number;
}

export interface ReactorResponse {
  readonly tokens?: Json;
  readonly raw?: Json;
}

export interface InvocationResult {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed';
  /** The reactor's response, or the error object; absent before. */
  readonly result?: Json;
}
