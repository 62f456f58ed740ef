import type { ZodMiniObject, ZodMiniType } from 'zod/mini';
import type { Members } from './words.ts';

/** A value that the document contains unchanged; a test sends or parses it. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** A response of an operation. Without a schema it has no body. */
export interface DescribedResponse {
  readonly description: string;
  readonly schema?: ZodMiniType;
  readonly examples?: Readonly<Record<string, Example>>;
}

/**
 * The parts of an operation that the route tables lack: words, examples, and the shape of its
 * responses. Paths, methods, permissions, bodies and success statuses come from the tables.
 */
export interface DescribedOperation {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** A description of each path parameter. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Query parameters. */
  readonly query?: ZodMiniObject;
  /** A description of each body member, by its path (`rules[].priority`). */
  readonly members?: Members;
  /** Required members that the schema leaves optional, since more than their shape decides. */
  readonly required?: readonly string[];
  readonly requests?: Readonly<Record<string, Example>>;
  /** The response with the route's own success status. */
  readonly response: DescribedResponse;
  /** Other successes. */
  readonly also?: Readonly<Record<number, DescribedResponse>>;
  /** Failures besides those of every operation of its kind, and when they occur. */
  readonly failures?: Readonly<Record<number, string>>;
  /** The result that is delivered later, if the body says where. */
  readonly callback?: { readonly name: string; readonly address: string };
}
