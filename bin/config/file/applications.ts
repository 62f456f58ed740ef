import { validateGrants } from '../../../src/core/access/validate-grants.ts';
import { RULE_LIMITS } from '../../../src/core/access/access-rule.ts';
import { invalidMembers } from '../../../src/core/shared/service-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { createApplicationBody } from '../../../src/wire/application.ts';
import type { DesiredApplication } from '../model.ts';
import { checkedBody, itemsOf, membersOf, memberText, reported, type Entry } from './entry.ts';
import { keysOf, type TargetUse } from './keys.ts';
import { SOME_ID, type References } from './references.ts';
import type { Tree } from './yaml-tree.ts';

/** The members of an application that the API takes, and the file has in the same form. */
const OF_WIRE = ['name', 'type', 'permissions', 'rules', 'expires_at'] as const;
export const APPLICATION_MEMBERS = ['adopt', ...OF_WIRE, 'keys'] as const;

const DESTINATIONS = ['proxies', 'reactors'] as const;

/** Rules as the API has them, with an id in place of each reference. */
const withIds = (rules: readonly Json[]): readonly Json[] =>
  rules.map((rule): Json => {
    const through = isJsonObject(rule) ? rule['through'] : undefined;
    if (!isJsonObject(rule) || !isJsonObject(through)) return rule;
    const ids = DESTINATIONS.flatMap((name) => {
      const list = through[name];
      return Array.isArray(list) ? [[name, list.map(() => SOME_ID)] as const] : [];
    });
    return { ...rule, through: { ...through, ...Object.fromEntries(ids) } };
  });

function inner(tree: Tree | undefined, name: string): Tree | undefined {
  return tree?.kind === 'map' ? tree.entries.get(name)?.tree : undefined;
}

function noteReferences(entry: Entry, references: References): void {
  itemsOf(entry, 'rules').forEach((rule, at) => {
    for (const kind of DESTINATIONS) {
      const list = inner(inner(rule, 'through'), kind);
      if (list?.kind !== 'list') continue;
      const path = `${entry.path}.rules[${String(at)}].through.${kind}`;
      if (list.items.length > RULE_LIMITS.through) continue;
      list.items.forEach((item, place) => {
        references.add(kind, item, `${path}[${String(place)}]`, entry);
      });
    }
  });
}

export function applicationOf(
  entry: Entry,
  references: References,
  use: TargetUse,
): DesiredApplication | undefined {
  const members = membersOf(entry, OF_WIRE);
  const rules = Array.isArray(members['rules']) ? (members['rules'] as readonly Json[]) : [];
  const sent = members['rules'] === undefined ? members : { ...members, rules: withIds(rules) };
  const body = checkedBody(createApplicationBody, sent, entry);
  if (body !== undefined)
    reported(entry, () => {
      // The deployment decides which callbacks it allows.
      const grants = body.rules.map(({ through, ...rule }) =>
        through === undefined ? rule : { ...rule, through: { ...through, callbacks: [] } },
      );
      const errors = validateGrants(body.type, { ...body, rules: grants }, []);
      if (Object.keys(errors).length > 0) throw invalidMembers(errors);
    });
  noteReferences(entry, references);
  const keys = keysOf(entry, use);
  const adopt = memberText(entry, 'adopt');
  if (body === undefined) return undefined;
  return {
    ...(adopt !== undefined && { adopt }),
    name: body.name,
    type: body.type,
    permissions: (members['permissions'] ?? []) as readonly string[],
    rules: rules as readonly JsonObject[],
    ...(members['expires_at'] !== undefined && { expires_at: members['expires_at'] as string }),
    keys,
  };
}
