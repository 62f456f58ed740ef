import type { ZodMiniObject, ZodMiniType } from 'zod/mini';
import type { JsonObject } from '../core/shared/json.ts';
import type { Members } from './words.ts';

/** A value that the OpenAPI document contains unchanged. A test sends or parses it. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** A response of an operation. It has no body without a schema. */
export interface DescribedResponse {
  readonly description: string;
  readonly schema?: ZodMiniType;
  /** Whether it has the entity tag of the resource. */
  readonly hasTag?: true;
  /** Whether it names stored proxies that a change of code stops. */
  readonly namesStoppedProxies?: true;
}

/** Recorded calls make these, by the names that the ids of examples have. */
export type MadeName =
  | 'token'
  | 'application'
  | 'key'
  | 'reactor'
  | 'proxy'
  | 'proxyKey'
  | 'invocation'
  | 'nonce';

/** How the response of an operation is recorded for the document: with its first example. */
export interface Recording {
  /** Calls with the key of the first application of the tenant, of a private one, or of a page. */
  readonly by: 'management' | 'shop' | 'page';
  /** May contain `{token}`, the id of the token that was made. */
  readonly query?: string;
  /** The thing that a response makes, and the member that names it. */
  readonly makes?: readonly [name: MadeName, member: string];
  /** Further members of the body, for a second call with another status. */
  readonly alsoWith?: JsonObject;
  /** The time that passes before the call. */
  readonly waits?: string;
  /** With 1 the call needs what others make; with 2 it ends what they need. By default 0. */
  readonly turn?: 1 | 2;
}

/**
 * The parts of an operation that the route tables lack: words, examples, and the shape of its
 * responses. Paths, methods, permissions, bodies and success statuses come from the tables.
 */
export interface OperationDescription {
  /** The method of the SDK, which takes the parameters of the path and the body. */
  readonly sdk: string;
  /** Further methods of the SDK for it. */
  readonly sdkToo?: readonly string[];
  /** An operation without a body in its responses has nothing to record. */
  readonly recorded: Recording | 'nothing';
  /** The row of docs/api.md, which may be more exact than the summary. */
  readonly does: string;
  /** Who may call it, where no permission says so. */
  readonly by?: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Describes each parameter of the path. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Has a member for each query parameter. */
  readonly query?: ZodMiniObject;
  /** Describes each member of the body, by its path (`rules[].priority`). */
  readonly members?: Members;
  /** Required members that the schema leaves optional, since their shape alone does not decide. */
  readonly required?: readonly string[];
  readonly requests?: Readonly<Record<string, Example>>;
  /** The response that has the route's own success status. */
  readonly response: DescribedResponse;
  /** Responses with any other success status. */
  readonly also?: Readonly<Record<number, DescribedResponse>>;
  /** Explains failures that not every operation of its kind has. */
  readonly failures?: Readonly<Record<number, string>>;
  /** Describes the result that is delivered later, to the address in this member of the body. */
  readonly callback?: { readonly name: string; readonly address: string };
}
