import type { ZodMiniType } from 'zod/mini';
import { jsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { shownName, unknownName } from '../../../src/core/shared/known-names.ts';
import { memberPath } from '../../../src/core/shared/member-path.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import { parseAt } from '../../../src/http/parse-input.ts';
import type { Position, Problems } from './problems.ts';
import { positionsIn, valueOf, type MapTree, type Tree } from './yaml-tree.ts';

/** A map of the file whose members are read one by one. */
export interface Entry {
  /** How messages name it: `applications.checkout`. Empty for the file itself. */
  readonly path: string;
  readonly tree: MapTree;
  readonly problems: Problems;
}

const EMPTY = 'must have members, indented below it';

/** The entry of a tree. Reports any other tree, and members that are not known. */
export function entryOf(
  tree: Tree | undefined,
  path: string,
  known: readonly string[],
  problems: Problems,
): Entry | undefined {
  if (tree === undefined) return undefined;
  if (tree.kind !== 'map') {
    problems.report(tree.position, `${path || 'the file'} ${EMPTY}`);
    return undefined;
  }
  for (const [name, { position }] of tree.entries)
    if (!known.includes(name))
      problems.report(position, `${memberPath(path, shownName(name))} ${unknownName(name, known)}`);
  return { path, tree, problems };
}

/** The tree of a member. An absent one and `null` are both `undefined`. */
export function memberOf({ tree }: Entry, name: string): Tree | undefined {
  const found = tree.entries.get(name)?.tree;
  return found?.kind === 'scalar' && found.value === null ? undefined : found;
}

/** The members of these names, as JSON. A member that is `null` is absent. */
export function membersOf(entry: Entry, names: readonly string[]): JsonObject {
  return jsonObject(
    names.flatMap((name) => {
      const tree = memberOf(entry, name);
      return tree === undefined ? [] : [[name, valueOf(tree)] as const];
    }),
  );
}

/** The entries of a map by their names, and the items of a list. Reports any other tree. */
export function entriesOf(
  entry: Entry,
  name: string,
): readonly (readonly [name: string, tree: Tree, position: Position])[] {
  const tree = memberOf(entry, name);
  if (tree === undefined) return [];
  if (tree.kind === 'map')
    return [...tree.entries].map(([each, { tree: inner, position }]) => [each, inner, position]);
  entry.problems.report(tree.position, `${memberPath(entry.path, name)} ${EMPTY}`);
  return [];
}

export function itemsOf(entry: Entry, name: string): readonly Tree[] {
  const tree = memberOf(entry, name);
  if (tree === undefined) return [];
  if (tree.kind === 'list') return tree.items;
  entry.problems.report(tree.position, `${memberPath(entry.path, name)} must be a list`);
  return [];
}

/** The text of a tree, if it is one. Reports any other tree. */
export function textOf(tree: Tree | undefined, path: string, problems: Problems): string | undefined {
  if (tree === undefined) return undefined;
  if (tree.kind === 'scalar' && typeof tree.value === 'string') return tree.value;
  const isScalar = tree.kind === 'scalar' && tree.value !== null;
  problems.report(tree.position, `${path} must be a string${isScalar ? ': write it in quotes' : ''}`);
  return undefined;
}

/** The text of a member, if it has one. */
export const memberText = (entry: Entry, name: string): string | undefined =>
  textOf(memberOf(entry, name), memberPath(entry.path, name), entry.problems);

/** Finds the position of a path of an error, or of the nearest value around it. */
function positionOf(path: string, positions: ReadonlyMap<string, Position>, around: Position): Position {
  for (let at = path; ; at = at.slice(0, Math.max(at.lastIndexOf('.'), at.lastIndexOf('['), 0))) {
    const found = positions.get(at);
    if (found !== undefined) return found;
    if (at === '') return around;
  }
}

/** Reports the problems that a function of the service throws, at the places of an entry. */
export function reported<T>(entry: Entry, check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const positions = positionsIn(entry.tree);
    for (const [path, messages] of Object.entries(error.errors ?? { '': [error.message] }))
      for (const message of messages) {
        // The file has another name for the id of a reactor.
        const at = (path === 'body' ? '' : path).replace(/\.reactor_id$/, '.reactor');
        const quote = message === 'must be a string' ? `${message}: write it in quotes` : message;
        const shown = at === '' ? entry.path : `${entry.path}${at.startsWith('[') ? '' : '.'}${at}`;
        entry.problems.report(positionOf(at, positions, entry.tree.position), `${shown} ${quote}`);
      }
    return undefined;
  }
}

/** The value in the shape of a body of the API. Reports what the service would refuse. */
export const checkedBody = <T>(schema: ZodMiniType<T>, value: Json, entry: Entry): T | undefined =>
  reported(entry, () => parseAt(schema, value, '', 'strict'));
