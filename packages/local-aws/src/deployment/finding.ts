/**
 * Effects of a deployment over another one that a person must know before.
 *
 * - `refused`: CloudFormation fails and rolls back.
 * - `data_lost`: a resource is deleted with its data, or an empty one takes its place.
 * - `address_lost`: callers can no longer use an address.
 * - `left_behind`: a resource stays with its data, and belongs to no stack.
 * - `interrupted`: another stack uses a resource that is gone, until its own update.
 * - `rollback_fails`: if the update of another stack fails, CloudFormation cannot roll it back.
 */
export type FindingKind =
  | 'refused'
  | 'data_lost'
  | 'address_lost'
  | 'left_behind'
  | 'interrupted'
  | 'rollback_fails';

const NOTES: readonly FindingKind[] = ['address_lost', 'left_behind'];

export interface Finding {
  readonly kind: FindingKind;
  readonly stack: string;
  /** The logical id, export or output that it is about. */
  readonly subject: string;
  readonly what: string;
  /** Advises a person. */
  readonly remedy: string;
}

export const describeFinding = ({ kind, stack, subject, what, remedy }: Finding): string =>
  `${kind.replace('_', ' ')}: ${stack}, ${subject}: ${what} ${remedy}`;

/**
 * Whether a finding only states what a deployment is meant to do: a setting that is switched off
 * takes its address along, and retained data stays.
 */
export const isNote = ({ kind }: Pick<Finding, 'kind'>): boolean => NOTES.includes(kind);
