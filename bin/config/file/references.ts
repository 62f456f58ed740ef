import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import { nearestName } from '../../../src/core/shared/known-names.ts';
import type { Kind, Reference } from '../model.ts';
import { memberOf, textOf, type Entry } from './entry.ts';
import { isName } from './names.ts';
import type { Position } from './problems.ts';
import type { Tree } from './yaml-tree.ts';

/** The checks of the service read this id in place of a name, whose id may not exist yet. */
export const SOME_ID = '00000000-0000-7000-8000-000000000000';

interface Named {
  readonly kind: Kind;
  readonly reference: Reference;
  readonly position: Position;
  readonly path: string;
}

/** Returns the reason why a reference that is no id names nothing, if it does not. */
function problemOf(
  kind: Kind,
  reference: Reference,
  names: readonly string[],
  namespace: string,
): string | undefined {
  const parts = reference.split('/');
  const [name = '', of = namespace] = parts.toReversed();
  if (parts.length > 2 || !isName(name) || (parts.length === 2 && !isName(of)))
    return `must be a name of ${kind}, NAMESPACE/NAME of another file, or an id`;
  if (of !== namespace || names.includes(name)) return undefined;
  const near = nearestName(name, names);
  return `names no entry of ${kind}${near === undefined ? '' : `; did you mean \`${near}\`?`}`;
}

/** Collects what entries name, to find it when all of them are known. */
export class References {
  readonly #named: Named[] = [];

  /** Notes the reference of a tree, if it is a text. */
  add(kind: Kind, tree: Tree | undefined, path: string, { problems }: Entry): Reference | undefined {
    const reference = textOf(tree, path, problems);
    if (reference === undefined || tree === undefined) return undefined;
    this.#named.push({ kind, reference, position: tree.position, path });
    return reference;
  }

  /** Notes the reference of a member. */
  ofMember(kind: Kind, entry: Entry, name: string): Reference | undefined {
    return this.add(kind, memberOf(entry, name), `${entry.path}.${name}`, entry);
  }

  /** Calls `report` for each name that is neither in the file nor an id, nor of another file. */
  check(
    namesOf: (kind: Kind) => readonly string[],
    namespace: string,
    report: (position: Position, message: string) => void,
  ): void {
    for (const { kind, reference, position, path } of this.#named) {
      const problem = isUuid(reference) ? undefined : problemOf(kind, reference, namesOf(kind), namespace);
      if (problem !== undefined) report(position, `${path} ${problem}`);
    }
  }
}
