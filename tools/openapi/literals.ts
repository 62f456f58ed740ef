/** Writes a value of JSON in the language. */
export interface Notation {
  readonly text: (value: string) => string;
  readonly name: (value: string) => string;
  /** Writes an object on one line, from its members. */
  readonly object: (members: string) => string;
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
  /** Follows the last of several lines too. */
  readonly indent: string;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const quoted = (value: string): string => (/['\\\n]/.test(value) ? JSON.stringify(value) : `'${value}'`);

export const JAVASCRIPT: Notation = {
  text: quoted,
  name: (value) => (IDENTIFIER.test(value) ? value : quoted(value)),
  object: (members) => `{ ${members} }`,
  words: { true: 'true', false: 'false', null: 'null' },
  indent: '  ',
};

export const PYTHON: Notation = {
  text: (value) => JSON.stringify(value),
  name: (value) => JSON.stringify(value),
  object: (members) => `{${members}}`,
  words: { true: 'True', false: 'False', null: 'None' },
  indent: '    ',
};

/** A short value stays on its line. */
const LINE_LENGTH = 60;

function simpleLiteral(value: unknown, { text, words }: Notation): string | undefined {
  if (typeof value === 'string') return text(value);
  if (value === true) return words.true;
  if (value === false) return words.false;
  if (value === null) return words.null;
  return typeof value === 'object' ? undefined : JSON.stringify(value);
}

/** The source of a value of JSON, whose lines after the first are indented by `margin`. */
export function literalOf(value: unknown, notation: Notation, margin = ''): string {
  const simple = simpleLiteral(value, notation);
  if (simple !== undefined) return simple;
  const inner = margin + notation.indent;
  const isList = Array.isArray(value);
  const elements = isList
    ? value.map((element) => literalOf(element, notation, inner))
    : Object.entries(value as object).map(
        ([name, member]) => `${notation.name(name)}: ${literalOf(member, notation, inner)}`,
      );
  if (elements.length === 0) return isList ? '[]' : '{}';
  const line = isList ? `[${elements.join(', ')}]` : notation.object(elements.join(', '));
  if (line.length + margin.length <= LINE_LENGTH && !line.includes('\n')) return line;
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return `${open}\n${elements.map((element) => `${inner}${element},\n`).join('')}${margin}${close}`;
}
