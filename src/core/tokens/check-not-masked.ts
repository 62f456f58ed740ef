import { MASK_STEPS, type Budget } from '../expressions/budget.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { renderTemplates } from '../expressions/render.ts';
import { FieldReporter } from '../shared/field-reporter.ts';
import { isEqualJson, isJsonObject, type Json } from '../shared/json.ts';
import { memberPath } from '../shared/member-path.ts';
import type { Secret } from '../shared/secret.ts';

/** Whether a mask shows the member of the data at its own place, unchanged: `{{ data.number }}`. */
const showsAsIs = (mask: Json, path: string): boolean =>
  typeof mask === 'string' && mask.replaceAll(' ', '') === `{{${path}}}`;

interface Masked {
  readonly mask: Json;
  readonly shown: Json;
}

function report(patch: Json, { mask, shown }: Masked, path: string, fields: FieldReporter): void {
  if (isJsonObject(patch) && isJsonObject(mask) && isJsonObject(shown)) {
    for (const [name, member] of Object.entries(patch))
      if (Object.hasOwn(mask, name) && Object.hasOwn(shown, name))
        report(
          member,
          { mask: mask[name] ?? null, shown: shown[name] ?? null },
          memberPath(path, name),
          fields,
        );
  } else if (patch !== null && !showsAsIs(mask, path) && isEqualJson(patch, shown)) {
    fields.report(path, 'is what the mask shows, and would replace the data; leave it out');
  }
}

/** What a mask shows of data; `undefined` if it fails on it, which shows nothing. */
function shownBy(mask: Json, data: Secret<Json>, budget: Budget): Json | undefined {
  try {
    return renderTemplates(mask, { data: data.reveal() }, budget.part(MASK_STEPS));
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

/**
 * Throws `validation_failed` for patched data that is what its mask shows: a caller who reads under
 * the mask has sent it back, and it would replace the data itself. Depends on nothing but the patch
 * and what such a caller reads, so that a refusal reveals nothing.
 */
export function checkNotMasked(mask: Json, data: Secret<Json>, patch: Secret<Json>, budget: Budget): void {
  const shown = mask === null ? undefined : shownBy(mask, data, budget);
  if (shown === undefined) return;
  const fields = new FieldReporter();
  report(patch.reveal(), { mask, shown }, 'data', fields);
  fields.throwIfFailed();
}
