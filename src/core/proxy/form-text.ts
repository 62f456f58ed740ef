import type { TemplateFields } from '../expressions/template-fields.ts';
import { decodeFormValue, encodeFormValue } from './form-encoding.ts';
import { nestedTemplate, TextEdits, verbatim, type Renderable } from './renderable.ts';

/** The forms of `{{` in a form. */
const OPENING = /(?:\{|%7b){2}/i;

/** A value of a form, with its references filled in and encoded again. */
function formValue(name: string, value: string, path: string, fields: TemplateFields): Renderable<string> {
  const template = nestedTemplate(value, `${path}.${decodeFormValue(name) ?? name}`, fields);
  return {
    references: template.references,
    render: (filling) => encodeFormValue(template.render(filling)),
  };
}

/**
 * Fills in the values of a query or form, which errors call `path`; sends other pairs byte for
 * byte. Reports a value with `{{` whose encoding is invalid: its expression would be sent.
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
