import type { AuditEntry, Form } from './audit-record.ts';
import type { NamedToken } from './effect.ts';

/**
 * Most bytes of the JSON of containers in a record. Others than its caller choose them, and with
 * them the record of one token still costs one write unit.
 */
const CONTAINERS_MAX_BYTES = 300;

/** Tokens that the next record names, by form, and the containers that they are in. */
export interface ReportedTokens {
  readonly ids: Map<Form, Set<string>>;
  readonly containers: Set<string>;
}

export const noTokens = (): ReportedTokens => ({ ids: new Map(), containers: new Set() });

export const isEmpty = ({ ids }: ReportedTokens): boolean => ids.size === 0;

export const hasToken = ({ ids }: ReportedTokens, id: string): boolean =>
  [...ids.values()].some((each) => each.has(id));

export function addToken({ ids, containers }: ReportedTokens, token: NamedToken, form: Form): void {
  const ofForm = ids.get(form) ?? new Set();
  ids.set(form, ofForm.add(token.id));
  for (const container of token.containers ?? []) containers.add(container);
}

/**
 * The containers that fit into a record, because other callers choose their names and their number.
 */
function containersThatFit(all: ReadonlySet<string>): Pick<AuditEntry, 'containers' | 'containersLeftOut'> {
  const containers: string[] = [];
  let bytes = 0;
  for (const container of all) {
    // A container takes two quotes and a comma. None of its characters is escaped.
    bytes += Buffer.byteLength(container) + 3;
    if (bytes > CONTAINERS_MAX_BYTES) break;
    containers.push(container);
  }
  const leftOut = all.size - containers.length;
  return {
    ...(containers.length > 0 && { containers }),
    ...(leftOut > 0 && { containersLeftOut: leftOut }),
  };
}

/** Makes the members that a record has for the reported tokens. */
export function membersOf(
  reported: ReportedTokens,
): Pick<AuditEntry, 'tokens' | 'containers' | 'containersLeftOut'> {
  if (isEmpty(reported)) return {};
  const tokens = Object.fromEntries([...reported.ids].map(([form, ids]) => [form, [...ids]]));
  return { tokens, ...containersThatFit(reported.containers) };
}
