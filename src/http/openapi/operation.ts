import type { ZodObject, ZodType } from 'zod';

/** A value that stands in the document as it is; a test sends or parses it. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** An answer of an operation. Without a schema it has no body. */
export interface DescribedAnswer {
  readonly description: string;
  readonly schema?: ZodType;
  readonly examples?: Readonly<Record<string, Example>>;
}

/**
 * What a member is: words, and limits that `core` checks and the schema of the body does not know,
 * as JSON Schema.
 */
export type Member = string | { readonly words: string; readonly limits: object };

export type Members = Readonly<Record<string, Member>>;

/**
 * What the route tables do not know of an operation: words, examples, and the shape of its answers.
 * Paths, methods, permissions, bodies and statuses of success come from the tables themselves.
 */
export interface DescribedOperation {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** What each parameter of the path is. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Parameters of the query. */
  readonly query?: ZodObject;
  /** What each member of the body is, by its path (`rules[].priority`). */
  readonly members?: Members;
  /**
   * Members that the schema leaves open, since more than their shape decides, and that must be
   * there all the same.
   */
  readonly required?: readonly string[];
  readonly requests?: Readonly<Record<string, Example>>;
  /** The answer of the route's own status of success. */
  readonly answer: DescribedAnswer;
  /** Other successes. */
  readonly also?: Readonly<Record<number, DescribedAnswer>>;
  /** Failures beyond those that every operation of its kind has, and when. */
  readonly failures?: Readonly<Record<number, string>>;
  /** The result that is delivered later, if the body says where to. */
  readonly callback?: { readonly name: string; readonly address: string };
}
