import { FieldReporter } from './field-reporter.ts';
import { isEqualJson, type JsonObject } from './json.ts';
import { memberPath } from './member-path.ts';

/**
 * Throws `validation_failed` for members that differ from those that the caller sees of a resource.
 * An update cannot change these members, but may repeat them. `shown` must contain only what the
 * caller may read: the result of the comparison reveals the value.
 */
export function checkUnchanged(sent: JsonObject, shown: JsonObject, path = ''): void {
  const fields = new FieldReporter();
  for (const [name, value] of Object.entries(sent)) {
    const current = shown[name];
    if (current === undefined || !isEqualJson(value, current))
      fields.report(memberPath(path, name), 'cannot be changed, and now has another value; leave it out');
  }
  fields.throwIfFailed();
}
