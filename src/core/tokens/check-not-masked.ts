import { MASK_STEPS, type Budget } from '../expressions/budget.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { renderTemplates } from '../expressions/render.ts';
import { FieldReporter } from '../shared/field-reporter.ts';
import { isEqualJson, isJsonObject, type Json } from '../shared/json.ts';
import { memberPath } from '../shared/member-path.ts';
import type { Secret } from '../shared/secret.ts';

/** Whether a mask shows the member of the data at the same path unchanged: `{{ data.number }}`. */
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
    fields.report(path, 'is the masked value, which would replace the data; leave it out');
  }
}

/**
 * The data as the mask shows it; `undefined` if the mask fails on the data, and so shows nothing.
 */
function shownBy(mask: Json, data: Secret<Json>, budget: Budget): Json | undefined {
  try {
    return renderTemplates(mask, { data: data.reveal() }, budget.part(MASK_STEPS));
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

/**
 * Throws `validation_failed` for a patch with masked data, which would overwrite the data. The
 * check depends only on the patch and on what the caller can read, so the error reveals nothing.
 */
export function checkNotMasked(mask: Json, data: Secret<Json>, patch: Secret<Json>, budget: Budget): void {
  const shown = mask === null ? undefined : shownBy(mask, data, budget);
  if (shown === undefined) return;
  const fields = new FieldReporter();
  report(patch.reveal(), { mask, shown }, 'data', fields);
  fields.throwIfFailed();
}
