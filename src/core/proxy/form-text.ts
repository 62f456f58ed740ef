import type { TemplateFields } from '../expressions/template-fields.ts';
import { Pieces, textTemplate, untouched, type Renderable } from './text-template.ts';

/** `{{` as it may stand in a form. */
const OPENING = /(?:\{|%7b){2}/i;

/** Percent-encoding of a form (WHATWG URL, application/x-www-form-urlencoded): spaces as `+`. */
function encodeFormValue(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/**
 * The text of an encoded value; `undefined` if it is not well encoded, and then nothing of it is
 * touched.
 */
function decodeFormValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/**
 * A value as it stands in a form, whose references are filled in and which is then encoded anew.
 */
function formValue(name: string, value: string, path: string, fields: TemplateFields): Renderable<string> {
  const template = textTemplate(
    value,
    `${path}.${decodeFormValue(name) ?? name}`,
    fields,
    (filled) => filled,
  );
  return {
    references: template.references,
    render: (filling) => encodeFormValue(template.render(filling)),
  };
}

/**
 * Pairs joined by `&`, as a query or a form: values with references are filled in and encoded anew;
 * every other pair stays as it is, byte for byte. A value that holds `{{` and is not well encoded
 * is reported: passed on, its expression would be too. `path` names the whole in errors (`query`,
 * `body`).
 */
export function formText(text: string, path: string, fields: TemplateFields): Renderable<string> {
  if (!OPENING.test(text)) return untouched(text);
  const pieces = new Pieces(text);
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
