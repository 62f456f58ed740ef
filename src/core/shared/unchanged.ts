import { FieldReporter } from './field-reporter.ts';
import { canonical, type Json, type JsonObject } from './json.ts';
import { memberPath } from './member-path.ts';

const isEqual = (a: Json, b: Json): boolean => JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));

/**
 * Throws `validation_failed` for members that differ from what the caller is shown of a resource:
 * an update cannot change them, but may send them as they were read. `shown` must hold nothing that
 * the caller may not read: whether a member is equal tells what it is.
 */
export function checkUnchanged(given: JsonObject, shown: JsonObject, path = ''): void {
  const fields = new FieldReporter();
  for (const [name, value] of Object.entries(given)) {
    const current = shown[name];
    if (current === undefined || !isEqual(value, current))
      fields.report(memberPath(path, name), 'cannot be changed; leave it out, or send it as it was read');
  }
  fields.throwIfFailed();
}
