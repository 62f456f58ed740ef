import type { ZodObject, ZodType } from 'zod';

/** A value that the document contains unchanged; a test sends or parses it. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** A response of an operation. Without a schema it has no body. */
export interface DescribedResponse {
  readonly description: string;
  readonly schema?: ZodType;
  readonly examples?: Readonly<Record<string, Example>>;
}

/**
 * The description of a member: words, and, as JSON Schema, limits that `core` checks and the schema
 * of the body lacks.
 */
export type Member = string | { readonly words: string; readonly limits: object };

export type Members = Readonly<Record<string, Member>>;

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
  readonly query?: ZodObject;
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
