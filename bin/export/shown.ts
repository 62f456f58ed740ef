import { decideAccess, transformOf } from '../../src/core/access/access-decision.ts';
import type { AccessRule, Grants, Transform } from '../../src/core/access/access-rule.ts';
import type { ExportedToken } from './service.ts';

/** A token shows all of its data, the value of its mask, or nothing. */
export type Shown = Transform;

/** The rules of the key are others than at the start, so the kind of a value is not known. */
export class RightsChanged extends Error {
  override readonly name = 'RightsChanged';
}

const CHANGED = 'the rights of the key have changed since the start';

/**
 * How the service has shown a token. A response does not say whether its data is masked, so the
 * code of the service that decides it decides it here. Throws {@link RightsChanged} if the
 * response contradicts the rules.
 */
export function shownOf(grants: Grants, { id, containers, body }: ExportedToken): Shown {
  const transform = decideAccess(grants, 'token:read', { id, containers });
  const hasData = body['data'] !== undefined;
  if (transform === 'reveal' && hasData) return 'reveal';
  if (transform === 'mask') return hasData ? 'mask' : 'redact';
  if (transform === 'redact' && !hasData) return 'redact';
  throw new RightsChanged(CHANGED);
}

/** Throws {@link RightsChanged} if two readings of the rights differ. */
export function requireSameRights(before: Grants, now: Grants): void {
  if (JSON.stringify(before) !== JSON.stringify(now)) throw new RightsChanged(CHANGED);
}

const WORDS: Readonly<Record<Shown, string>> = {
  reveal: 'in plaintext',
  mask: 'masked',
  redact: 'without data',
};

function tokensOf({ container, conditions = [] }: AccessRule): string {
  if (container !== undefined) return container;
  return conditions
    .map(({ attribute, operator, value }) => `${attribute} ${operator.replace('_', ' ')} ${value}`)
    .join(' and ');
}

const grantsReading = ({ permissions }: AccessRule): boolean => permissions.includes('token:read');

const readingRules = ({ rules }: Grants): readonly AccessRule[] =>
  rules.filter(grantsReading).toSorted((a, b) => a.priority - b.priority);

/** Says what the key shows, one rule in a line; the first line that covers a token decides. */
export function rightsLines(grants: Grants): readonly string[] {
  const lines = readingRules(grants).map((rule) => `${tokensOf(rule)}: ${WORDS[rule.transform]}`);
  if (readingRules(grants).some(({ container }) => container === '/')) return lines;
  const rest = grants.permissions.includes('token:read')
    ? `everything else: ${WORDS[transformOf('permissions', 'token:read')]}`
    : 'everything else: not at all';
  return [...lines, rest];
}

/** Whether there is a token that the key could see in plaintext. */
export const mayReveal = (grants: Grants): boolean =>
  readingRules(grants).some(({ transform }) => transform === 'reveal');

/** How many tokens were shown in which way. */
export type ShownCounts = Readonly<Record<Shown, number>>;

export const NONE_SHOWN: ShownCounts = { reveal: 0, mask: 0, redact: 0 };

export const addCounts = (a: ShownCounts, b: ShownCounts): ShownCounts => ({
  reveal: a.reveal + b.reveal,
  mask: a.mask + b.mask,
  redact: a.redact + b.redact,
});

/** Such as `2 in plaintext, 1 masked`. */
export function countsInWords(counts: ShownCounts): string {
  const parts = (['reveal', 'mask', 'redact'] as const)
    .filter((shown) => counts[shown] > 0)
    .map((shown) => `${counts[shown].toLocaleString('en-US')} ${WORDS[shown]}`);
  return parts.join(', ');
}
