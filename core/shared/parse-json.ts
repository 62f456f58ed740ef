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

/** What a name cannot hold without an escape (RFC 8259, section 7), and the character that stands for it here. */
const TO_ESCAPE = /[^\u0020-\uffff]|["\\~]/g;
const ESCAPED = /~(..)/g;

/** `a"b` as `a~22b`, with no backslash in it. Other names stay other names. */
const plain = (name: string): string =>
  name.replace(TO_ESCAPE, (character) => `~${character.charCodeAt(0).toString(16).padStart(2, '0')}`);

const original = (name: string): string =>
  name.replace(ESCAPED, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

/** The text with every member name made plain. */
function withPlainNames(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let start = text.indexOf('"'); start !== -1;) {
    const close = endOfString(text, start);
    if (isMemberName(text, close)) {
      const name = JSON.parse(text.slice(start, close + 1)) as string;
      pieces.push(text.slice(from, start + 1), plain(name));
      from = close;
    }
    start = text.indexOf('"', close + 1);
  }
  return pieces.join('') + text.slice(from);
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The object or array with the original names of its own members; itself if they are that. */
function renamed(value: object): object {
  if (Array.isArray(value) || !Object.keys(value).some((name) => name.includes('~'))) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [original(name), member as Json]));
}

/** The value with the original names, however deep: no stack that a hostile depth could use up. */
function withOriginalNames(value: Json): Json {
  const whole = { value };
  const waiting: object[] = [whole];
  for (let container = waiting.pop(); container !== undefined; container = waiting.pop()) {
    for (const [name, member] of Object.entries(container)) {
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
  const value = JSON.parse(text) as Json;
  return hasEscapedName(text) ? withOriginalNames(JSON.parse(withPlainNames(text)) as Json) : value;
}
