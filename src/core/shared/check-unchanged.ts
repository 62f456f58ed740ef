import { FieldReporter } from './field-reporter.ts';
import { isEqualJson, type JsonObject } from './json.ts';
import { memberPath } from './member-path.ts';

/**
 * Throws `validation_failed` for members that an update cannot change and that differ from `shown`.
 * `shown` must contain only what the caller may read: the comparison reveals the value.
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
