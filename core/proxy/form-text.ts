import type { FieldReporter } from '../shared/field-reporter.ts';
import { textTemplate, together, untouched, type Renderable } from './text-template.ts';

/** Percent-encoding of a form (WHATWG URL, application/x-www-form-urlencoded): spaces as `+`. */
function encodeFormValue(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** The text of an encoded value; `undefined` if it is not well encoded, and then nothing of it is touched. */
function decodeFormValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/**
 * Pairs joined by `&`, as a query or a form: values with references are filled in and encoded anew; every other pair stays as it is,
 * byte for byte. `path` names the whole in errors (`query`, `body`).
 */
export function formText(text: string, path: string, fields: FieldReporter): Renderable<string> {
  if (!/\{|%7b/i.test(text)) return untouched(text);
  const pairs = text.split('&').map((pair): Renderable<string> => {
    const equals = pair.indexOf('=');
    const value = equals === -1 ? undefined : decodeFormValue(pair.slice(equals + 1));
    if (value?.includes('{{') !== true) return untouched(pair);
    const name = pair.slice(0, equals);
    const template = textTemplate(
      value,
      `${path}.${decodeFormValue(name) ?? name}`,
      fields,
      (filled) => filled,
    );
    return {
      references: template.references,
      render: (filling) => `${name}=${encodeFormValue(template.render(filling))}`,
    };
  });
  return together(pairs, (rendered) => rendered.join('&'));
}
