import type { LiveResource } from '../model.ts';
import { textIn, textsIn } from './bodies.ts';
import { livingKeys } from './plan-keys.ts';

const MANAGES = 'application:update';

/** An application before and after the plan; absent before it is created or after it is deleted. */
export interface Managing {
  readonly id: string;
  readonly name: string;
  readonly before?: { readonly permissions: readonly string[]; readonly keys: number };
  readonly after?: { readonly permissions: readonly string[]; readonly keys: number };
  /** Says in words how the holders of its keys get less. */
  readonly narrowed: readonly string[];
}

/** The rights of an application and the number of its living keys, as the service has them. */
export function managingNow(live: LiveResource, readAt: string): NonNullable<Managing['before']> {
  const end = textIn(live.body, 'expires_at');
  const isOver = end !== undefined && Date.parse(end) <= Date.parse(readAt);
  return {
    permissions: textsIn(live.body['permissions']),
    keys: isOver ? 0 : livingKeys(live.keys ?? [], readAt).length,
  };
}

const manages = (side: Managing['before']): boolean =>
  side !== undefined && side.keys > 0 && side.permissions.includes(MANAGES);

function narrowingOf({ name, before, after, narrowed }: Managing): readonly string[] {
  if (after === undefined) return [`it deletes ${name}, whose key plans`];
  const lost = (before?.permissions ?? []).filter((permission) => !after.permissions.includes(permission));
  return [
    ...(lost.length > 0 ? [`it takes ${lost.join(', ')} from ${name}, whose key plans`] : []),
    ...narrowed.map((what) => `${name}, whose key plans: it ${what}`),
  ];
}

/** Why no key could manage the tenant afterwards, or the one that plans has less. */
export function lockoutOf(all: readonly Managing[], self: string): string | undefined {
  const isLost = all.some(({ before }) => manages(before)) && !all.some(({ after }) => manages(after));
  const reasons = [
    ...(isLost ? [`no living key has ${MANAGES} afterwards`] : []),
    ...all.filter(({ id }) => id === self).flatMap(narrowingOf),
  ];
  return reasons.length === 0 ? undefined : reasons.join('; ');
}
