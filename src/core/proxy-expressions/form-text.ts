import type { TemplateFields } from '../expressions/template-fields.ts';
import { decodeFormValue, encodeFormValue } from './form-encoding.ts';
import { nestedTemplate, TextEdits, verbatim, type Renderable } from './renderable.ts';

/** `{{` as a form may write it. */
const OPENING = /(?:\{|%7b){2}/i;

/** Fills in the references of one value, and encodes it again. */
function formValue(name: string, value: string, path: string, fields: TemplateFields): Renderable<string> {
  const template = nestedTemplate(value, `${path}.${decodeFormValue(name) ?? name}`, fields);
  return {
    references: template.references,
    render: (filling) => encodeFormValue(template.render(filling)),
  };
}

/**
 * Fills in the values of a query or form, which errors call `path`, and sends all other pairs
 * unchanged. Reports a value with `{{` whose encoding is invalid, because its expression would be
 * sent as it is.
 */
export function formText(text: string, path: string, fields: TemplateFields): Renderable<string> {
  if (!OPENING.test(text)) return verbatim(text);
  const pieces = new TextEdits(text);
  for (let from = 0; from <= text.length && !fields.isFull;) {
    const next = text.indexOf('&', from);
    const to = next === -1 ? text.length : next;
    const pair = text.slice(from, to);
    const equals = pair.indexOf('=');
    const encoded = pair.slice(equals + 1);
    if (equals !== -1 && OPENING.test(encoded)) {
      const name = pair.slice(0, equals);
      const value = decodeFormValue(encoded);
      if (value === undefined) fields.report(`${path}.${name}`, 'has an expression and is not well encoded');
      else pieces.replace(from + equals + 1, to, formValue(name, value, path, fields));
    }
    from = to + 1;
  }
  return pieces.join();
}
