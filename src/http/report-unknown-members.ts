import type { core } from 'zod/mini';
import type { FieldReporter } from '../core/shared/field-reporter.ts';
import { isJsonObject } from '../core/shared/json.ts';
import { shownName, unknownName } from '../core/shared/known-names.ts';
import { memberPath } from '../core/shared/member-path.ts';
import { innerSchemas } from './inner-schemas.ts';

function reportInArray(element: core.$ZodType, value: unknown, path: string, fields: FieldReporter): void {
  if (!Array.isArray(value)) return;
  for (const [index, each] of value.entries()) {
    if (!fields.hasRoom) return;
    reportUnknownMembers(element, each, memberPath(path, index), fields);
  }
}

function reportInObject(
  shape: Readonly<Record<string, core.$ZodType>>,
  value: unknown,
  path: string,
  fields: FieldReporter,
): void {
  if (!isJsonObject(value)) return;
  const names = Object.keys(shape);
  for (const [name, member] of Object.entries(value)) {
    // A hint costs more than a member, so hints are computed only for problems that are reported.
    if (!fields.hasRoom) return;
    const at = memberPath(path, shownName(name));
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (known === undefined) fields.report(at, unknownName(name, names));
    else reportUnknownMembers(known, member, at, fields);
  }
}

/**
 * Reports members that the schema drops, with the likely intended name, so that both modes accept
 * the same. Throws for an unknown kind of schema, which would drop them silently.
 */
export function reportUnknownMembers(
  schema: core.$ZodType,
  value: unknown,
  path: string,
  fields: FieldReporter,
): void {
  const inner = innerSchemas(schema);
  if (inner.kind === 'array') reportInArray(inner.element, value, path, fields);
  else if (inner.kind === 'object') reportInObject(inner.shape, value, path, fields);
  else if (inner.kind === 'same')
    for (const each of inner.schemas) reportUnknownMembers(each, value, path, fields);
}
