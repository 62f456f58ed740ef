import { FieldReporter } from './field-reporter.ts';
import { isEqualJson, type JsonObject } from './json.ts';
import { memberPath } from './member-path.ts';

/**
 * Throws `validation_failed` for members that differ from what the caller is shown of a resource:
 * an update cannot change them, but may send them as they were read. `shown` must hold nothing that
 * the caller may not read: whether a member is equal reveals its value.
 */
export function checkUnchanged(given: JsonObject, shown: JsonObject, path = ''): void {
  const fields = new FieldReporter();
  for (const [name, value] of Object.entries(given)) {
    const current = shown[name];
    if (current === undefined || !isEqualJson(value, current))
      fields.report(memberPath(path, name), 'cannot be changed, and is not this now; leave it out');
  }
  fields.throwIfFailed();
}
