import type { Container } from '../shared/container.ts';
import type { Permission } from './permission.ts';

/**
 * How a rule shows the data of a token, from the most to the least restrictive
 * (docs/contract.md#transforms).
 */
export const TRANSFORMS = ['redact', 'mask', 'reveal'] as const;
export type Transform = (typeof TRANSFORMS)[number];

export const CONDITION_ATTRIBUTES = ['id', 'container'] as const;
export const CONDITION_OPERATORS = ['starts_with', 'equals'] as const;

/** A condition on a token (docs/contract.md#conditions). Container values are in lower case. */
export interface Condition {
  readonly attribute: (typeof CONDITION_ATTRIBUTES)[number];
  readonly operator: (typeof CONDITION_OPERATORS)[number];
  readonly value: string;
}

/**
 * Most rules that one credential may have, most ids and addresses of `through`, most conditions of
 * a rule and of all rules of a session, and maximum lengths in characters.
 */
export const RULE_LIMITS = {
  rules: 100,
  through: 20,
  conditions: 20,
  conditionsInAll: 500,
  description: 500,
  conditionValue: 500,
} as const;

/**
 * The destinations of a rule that grants `token:use` through these alone
 * (docs/contract.md#where-plaintext-may-go). One list of ids is not empty; the destinations need
 * not exist.
 */
export interface Through {
  readonly proxies: readonly string[];
  readonly reactors: readonly string[];
  /**
   * Addresses to which the results of these reactors may go, in the spelling of `parseCallback`;
   * absent for none. A result that the caller itself reads needs none.
   */
  readonly callbacks?: readonly string[];
}

/** An access rule (docs/contract.md#access-rules). It has either a container or conditions. */
export interface AccessRule {
  readonly description?: string;
  /**
   * Starts at 1; a higher value means lower precedence. No two rules of a credential have the same.
   */
  readonly priority: number;
  readonly container?: Container;
  readonly conditions?: readonly Condition[];
  readonly transform: Transform;
  readonly permissions: readonly Permission[];
  /** Bears on `token:use` alone. Absent for any destination. */
  readonly through?: Through;
}

/** Everything that decides what a credential may do. */
export interface Grants {
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
}
