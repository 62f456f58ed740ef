import { isJsonObject, jsonObject, type JsonObject } from '../../../src/core/shared/json.ts';
import { tokenIdOf } from '../token-id-of.ts';
import { formProblem, SOURCE_ID, type Formed } from './candidate.ts';
import type { Naming } from './from-cells.ts';
import { memberOfBody } from './member-of-body.ts';
import { shownColumn } from './shown-columns.ts';

/** Members of POST /tokens, in the order of the format `cloakroom`. */
export const BODY_MEMBERS = [
  'id',
  'type',
  'data',
  'mask',
  'containers',
  'metadata',
  'search_indexes',
  'fingerprint_expression',
  'expires_at',
] as const;

const KNOWN: ReadonlySet<string> = new Set(BODY_MEMBERS);

/** More unknown names than these are no help, and would fill the memory. */
const UNKNOWN_MAX = 100;

interface Objects {
  /** `undefined` for the format `cloakroom`, which names its tokens itself. */
  readonly naming: Naming | undefined;
  readonly constants: JsonObject;
}

/** A path, without what the file names itself: such a name may be a value. */
const columnOf = memberOfBody;

/** Makes tokens of lines with bodies of POST /tokens. */
export function formObjects({ naming, constants }: Objects, ignored: Set<string>) {
  return (row: number, object: JsonObject): Formed => {
    Object.keys(object).forEach((name, at) => {
      if (!KNOWN.has(name) && ignored.size < UNKNOWN_MAX) ignored.add(shownColumn(name, at));
    });
    const { id: oldId } = object;
    if (typeof oldId !== 'string' || oldId === '')
      return formProblem('id', oldId === undefined || oldId === '' ? 'is required' : 'must be a string');
    const own = BODY_MEMBERS.flatMap((name) => {
      const value = object[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    const body: JsonObject = { ...jsonObject(own), ...constants };
    if (naming === undefined) return { kind: 'candidate', candidate: { row, oldId, body, columnOf } };
    const { metadata = {} } = body;
    const named: JsonObject = {
      ...body,
      id: naming.keepsIds ? oldId : tokenIdOf(naming.source, oldId),
      // Other than an object is refused where the body is checked.
      metadata: isJsonObject(metadata) ? { ...metadata, [SOURCE_ID]: oldId } : metadata,
    };
    return { kind: 'candidate', candidate: { row, oldId, body: named, columnOf } };
  };
}
