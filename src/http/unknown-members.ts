import type { core } from 'zod/mini';
import type { FieldReporter } from '../core/shared/field-reporter.ts';
import { isJsonObject, type JsonObject } from '../core/shared/json.ts';
import { shownName, unknownName } from '../core/shared/known-names.ts';
import { memberPath } from '../core/shared/member-path.ts';

function reportInObject(
  shape: Readonly<Record<string, core.$ZodType>>,
  value: JsonObject,
  path: string,
  fields: FieldReporter,
): void {
  for (const [name, member] of Object.entries(value)) {
    const at = memberPath(path, shownName(name));
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (known === undefined) fields.report(at, unknownName(name, Object.keys(shape)));
    else reportUnknownMembers(known, member, at, fields);
  }
}

/**
 * Reports every member of a value that a schema does not have, with the name that may have been
 * meant. Schemas themselves drop such members: what they let through is the same in either mode.
 */
export function reportUnknownMembers(
  schema: core.$ZodType,
  value: unknown,
  path: string,
  fields: FieldReporter,
): void {
  if (fields.isFull) return;
  const { def } = (schema as core.$ZodTypes)._zod;
  if (def.type === 'pipe') {
    reportUnknownMembers(def.in, value, path, fields);
    reportUnknownMembers(def.out, value, path, fields);
  } else if (def.type === 'optional' || def.type === 'nullable') {
    reportUnknownMembers(def.innerType, value, path, fields);
  } else if (def.type === 'array' && Array.isArray(value)) {
    value.forEach((element: unknown, index) => {
      reportUnknownMembers(def.element, element, memberPath(path, index), fields);
    });
  } else if (def.type === 'object' && isJsonObject(value)) {
    reportInObject(def.shape, value, path, fields);
  }
}
