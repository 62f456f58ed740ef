import type { Json } from '../../../src/core/shared/json.ts';
import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import { createKeyBody } from '../../../src/wire/application-key.ts';
import type { DesiredKey, KeyTarget } from '../model.ts';
import { checkedBody, entryOf, itemsOf, memberOf, membersOf, memberText, type Entry } from './entry.ts';
import { NamedFileError, normalizedPath } from './named-files.ts';
import { SECRET_NAME } from './values.ts';

/** A key in the file has no other members. */
export const KEY_MEMBERS = ['name', 'expires_at', 'source_addresses', 'to', 'id'] as const;
const OF_WIRE = ['name', 'expires_at', 'source_addresses'] as const;

/** Returns the target of `to`, or the problem of its text. */
function parseTarget(text: string): KeyTarget | string {
  const [, kind, name = ''] = /^(file|aws-secret):(.+)$/.exec(text) ?? [];
  if (kind === 'aws-secret')
    return SECRET_NAME.test(name)
      ? { kind, name }
      : 'must name a secret of up to 512 letters, digits and /_+=.@-';
  if (kind !== 'file') return 'must be aws-secret:NAME or file:PATH';
  try {
    return { kind, name: normalizedPath(name) };
  } catch (error) {
    if (error instanceof NamedFileError) return error.message;
    throw error;
  }
}

/** Two keys in one place would each replace the other at every apply. */
export type TargetUse = (target: KeyTarget, key: Entry) => void;

function targetOf(key: Entry, use: TargetUse): KeyTarget | undefined {
  const text = memberText(key, 'to');
  if (text === undefined) return undefined;
  const target = parseTarget(text);
  if (typeof target !== 'string') {
    use(target, key);
    return target;
  }
  key.problems.report(memberOf(key, 'to')?.position ?? key.tree.position, `${key.path}.to ${target}`);
  return undefined;
}

function keyAt(key: Entry, use: TargetUse): DesiredKey | undefined {
  const { problems, path, tree } = key;
  const members = membersOf(key, OF_WIRE);
  if (checkedBody(createKeyBody, members, key) === undefined) return undefined;
  const to = targetOf(key, use);
  const id = memberText(key, 'id');
  if (id !== undefined && !isUuid(id)) problems.report(tree.position, `${path}.id must be the id of a key`);
  if ((memberOf(key, 'to') === undefined) === (memberOf(key, 'id') === undefined)) {
    problems.report(tree.position, `${path} must have either to, where a new key goes, or the id of a key`);
    return undefined;
  }
  if (to !== undefined && members['name'] === undefined) {
    problems.report(tree.position, `${path}.name is required beside to`);
    return undefined;
  }
  return {
    ...(members as Readonly<Record<string, Json>> as Pick<DesiredKey, (typeof OF_WIRE)[number]>),
    ...(to !== undefined && { to }),
    ...(id !== undefined && { id }),
  };
}

/** The keys of an application or a proxy. No two of them have one name or one id. */
export function keysOf(entry: Entry, use: TargetUse): readonly DesiredKey[] {
  const seen = new Set<string>();
  return itemsOf(entry, 'keys').flatMap((tree, at) => {
    const path = `${entry.path}.keys[${String(at)}]`;
    const key = entryOf(tree, path, KEY_MEMBERS, entry.problems);
    const read = key && keyAt(key, use);
    if (read === undefined) return [];
    const names = [
      ...(read.name === undefined ? [] : [`name ${read.name}`]),
      ...(read.id === undefined ? [] : [`id ${read.id}`]),
    ];
    if (names.some((name) => seen.has(name)))
      entry.problems.report(tree.position, `${path} has the name or the id of another key`);
    for (const name of names) seen.add(name);
    return [read];
  });
}
