/** A result of the service, as JSON has it. */
type Response = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Response =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Control, format and unassigned characters, and the separators that end a line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Co}\u2028\u2029]/gu;

const escaped = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`;

/**
 * The text with everything escaped that a terminal acts on, or that makes it look like another
 * text: names come from tenants.
 */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, escaped);
}

/** The same in JSON, which keeps its meaning: `JSON.stringify` escapes only U+0000 to U+001F. */
export function printableJson(json: string): string {
  return json.replaceAll(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

const textOf = (member: unknown): string => (typeof member === 'string' ? member : JSON.stringify(member));

/** The members of an object are shown on one line. */
function shown(value: unknown): string {
  if (!isRecord(value)) return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name} ${textOf(member)}`)
    .join(', ');
}

function lines(result: Response): readonly string[] {
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  return Object.entries(result).map(([name, value]) => `${name.padEnd(width)}  ${printable(shown(value))}`);
}

/** Shows each list of a result as a block of lines, or prints the whole result as JSON. */
export function show(result: Response, asJson: boolean): string {
  if (asJson) return `${printableJson(JSON.stringify(result))}\n`;
  const lists = Object.entries(result).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return [];
    if (value.length === 0) return [`no ${name}`];
    const texts = value.filter((each) => !isRecord(each)).map((each) => printable(String(each)));
    if (texts.length > 0) return [`${name}: ${texts.join(', ')}`];
    return [
      value
        .filter(isRecord)
        .map((each) => lines(each).join('\n'))
        .join('\n\n'),
    ];
  });
  const plain = Object.fromEntries(Object.entries(result).filter(([, value]) => !Array.isArray(value)));
  const rest = Object.keys(plain).length === 0 ? [] : lines(plain);
  return [...lists, ...rest].map((line) => `${line}\n`).join('');
}
