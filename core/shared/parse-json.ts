import { endOfString, isMemberName } from './json-strings.ts';
import type { Json } from './json.ts';

/** Whether a JSON text has a member name with an escape in it. */
function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1;) {
    // The first backslash of a string: what follows it is never the string's beginning.
    const close = endOfString(text, at - 1);
    if (isMemberName(text, close)) return true;
    at = text.indexOf('\\', close);
  }
  return false;
}

/** What stands for the characters that a plain name has not, and for that which all of these begin with; in this order. */
const CODES = [
  ['~', '~7e'],
  ['"', '~22'],
  ['\\', '~5c'],
] as const;

/** The string `"a\u0022b"` as `a~5c~22b`: without a backslash, the same for all spellings of a name, another for every other name. */
function plain(literal: string): string {
  const inner = JSON.stringify(JSON.parse(literal)).slice(1, -1);
  return CODES.reduce((text, [character, code]) => text.replaceAll(character, code), inner);
}

/** The name that was made plain. */
function original(name: string): string {
  if (!name.includes('~')) return name;
  const inner = CODES.reduceRight((text, [character, code]) => text.replaceAll(code, character), name);
  return JSON.parse(`"${inner}"`) as string;
}

/** The text with every member name made plain. */
function withPlainNames(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let start = text.indexOf('"'); start !== -1;) {
    const close = endOfString(text, start);
    if (isMemberName(text, close)) {
      pieces.push(text.slice(from, start + 1), plain(text.slice(start, close + 1)));
      from = close;
    }
    start = text.indexOf('"', close + 1);
  }
  return pieces.join('') + text.slice(from);
}

type Container = Readonly<Record<number | string, unknown>>;

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** The object or array with the original names of its own members; itself if they are that. */
function renamed(value: Container): Container {
  if (Array.isArray(value) || !Object.keys(value).some((name) => name.includes('~'))) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [original(name), member]));
}

/** The value with the original names, however deep: no stack that a hostile depth could use up. */
function withOriginalNames(value: Json): Json {
  const whole = { value };
  const waiting: Container[] = [whole];
  for (let container = waiting.pop(); container !== undefined; container = waiting.pop()) {
    for (const name of Array.isArray(container) ? container.keys() : Object.keys(container)) {
      const member = container[name];
      if (!isContainer(member)) continue;
      const child = renamed(member);
      waiting.push(child);
      // Not by assignment, which for a member `__proto__` would change the prototype.
      if (child !== member) Object.defineProperty(container, name, { value: child });
    }
  }
  return whole.value;
}

/**
 * The value of a JSON text that somebody else wrote: `JSON.parse`, without a defect of the V8 in Node.js 24 (nodejs/node#63785). After any
 * object with a member `\`, that V8 may read `{"\"":1}` as `{"\\":1}`: it compares a name's beginning as it was written with names that it
 * has seen, so that one tenant's data changes what another's are called. Names without escapes are always read right, so a text that has
 * others is read with names in which nothing has to be escaped, and these are turned back. Throws what `JSON.parse` throws.
 */
export function parseJson(text: string): Json {
  if (!hasEscapedName(text)) return JSON.parse(text) as Json;
  // Where the text stops being JSON it stops so here, too: only strings are written anew, as strings.
  return withOriginalNames(JSON.parse(withPlainNames(text)) as Json);
}
