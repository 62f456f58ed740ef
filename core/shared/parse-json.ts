import { endOfString, isMemberName } from './json-strings.ts';
import type { Json } from './json.ts';

/** Whether a JSON text has a member name with an escape in it. */
function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1;) {
    // To the end of the string whose first backslash this is.
    const close = endOfString(text, at - 1);
    if (isMemberName(text, close)) return true;
    at = text.indexOf('\\', close);
  }
  return false;
}

/** A JSON text without an escape in a member name. The name `~3` stands for `names[3]`, any other for itself. */
interface PlainText {
  readonly text: string;
  readonly names: readonly string[];
}

/** Whether a name may stand for itself, written as it is. */
function isPlain(name: string): boolean {
  return !name.startsWith('~') && JSON.stringify(name) === `"${name}"`;
}

function withPlainNames(text: string): PlainText {
  const indexes = new Map<string, number>();
  const numbered = (name: string): string => {
    const index = indexes.get(name) ?? indexes.size;
    indexes.set(name, index);
    return `~${String(index)}`;
  };
  const pieces: string[] = [];
  let from = 0;
  for (let start = text.indexOf('"'); start !== -1;) {
    const close = endOfString(text, start);
    if (isMemberName(text, close) && !isPlain(text.slice(start + 1, close))) {
      const name = JSON.parse(text.slice(start, close + 1)) as string;
      pieces.push(text.slice(from, start + 1), isPlain(name) ? name : numbered(name));
      from = close;
    }
    start = text.indexOf('"', close + 1);
  }
  return { text: pieces.join('') + text.slice(from), names: [...indexes.keys()] };
}

type Container = Record<number | string, unknown>;

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** The members of an object under their original names; one by one, since there may be a million. */
function* originalMembers(value: Container, names: readonly string[]): Generator<[string, unknown]> {
  for (const name of Object.keys(value))
    yield [name.startsWith('~') ? (names[Number(name.slice(1))] ?? name) : name, value[name]];
}

/** The object or array with the original names of its own members; itself if they are that. */
function renamed(value: Container, names: readonly string[]): Container {
  if (Array.isArray(value) || !Object.keys(value).some((name) => name.startsWith('~'))) return value;
  return Object.fromEntries(originalMembers(value, names));
}

/** The value with the original names, however deep: no stack that a hostile depth could use up. */
function withOriginalNames({ text, names }: PlainText): Json {
  const whole = { value: JSON.parse(text) as Json };
  const waiting: Container[] = [whole];
  for (let container = waiting.pop(); container !== undefined; container = waiting.pop()) {
    for (const name of Array.isArray(container) ? container.keys() : Object.keys(container)) {
      const member = container[name];
      if (!isContainer(member)) continue;
      const child = renamed(member, names);
      waiting.push(child);
      // A member `__proto__` is the object's own, so this sets that, not the prototype.
      container[name] = child;
    }
  }
  return whole.value;
}

/**
 * The value of a JSON text that somebody else wrote: `JSON.parse`, without a defect of the V8 in Node.js 24 (nodejs/node#63785). After any
 * object with a member `\`, that V8 may read `{"\"":1}` as `{"\\":1}`: it compares a name's beginning as it was written with names that it
 * has seen, so that one tenant's data changes what another's are called. Names without escapes are always read right, so a text that has
 * others is read with names in which nothing has to be escaped, and these are exchanged for the others. Throws a `SyntaxError` where
 * `JSON.parse` does; positions in its message may be others.
 */
export function parseJson(text: string): Json {
  if (!hasEscapedName(text)) return JSON.parse(text) as Json;
  // Where the text stops being JSON it stops so here, too: only strings are written anew, as strings.
  return withOriginalNames(withPlainNames(text));
}
