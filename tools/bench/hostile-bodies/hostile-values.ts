import { DEPTH_MAX, MEMBERS_MAX, membersOf } from '../../../src/core/shared/json-extent.ts';

/** A JSON text of at most so many bytes that is as expensive as possible to read. */
export interface HostileValue {
  readonly name: string;
  readonly text: (bytes: number) => string;
}

const DEPTH = DEPTH_MAX - 4;
/** Bytes of the document around a value. */
const MEMBERS_AROUND = 100;

/**
 * Fills a value with as many units as the limits of a body allow, in bytes and in members. Commas
 * join them between two brackets.
 */
function filled(
  open: string,
  unit: (index: number) => string,
  close: string,
  most = MEMBERS_MAX - MEMBERS_AROUND,
) {
  return (bytes: number): string => {
    const first = `${open}${unit(0)}${close}`;
    const around = membersOf(first) - 1;
    const each = membersOf(`${open}${unit(0)},${unit(1)}${close}`) - around - 1;
    const units: string[] = [];
    let left = bytes - open.length - close.length;
    let members = most - around;
    for (let index = 0; ; index += 1) {
      const next = unit(index);
      left -= Buffer.byteLength(next) + 1;
      members -= each;
      if (left < -1 || members < 0) return `${open}${units.join(',')}${close}`;
      units.push(next);
    }
  };
}

const list = (unit: string, most?: number) => filled('[', () => unit, ']', most);
const members = (name: (index: number) => string, value = '0') =>
  filled('{', (index) => `"${name(index)}":${value}`, '}');
const text = (unit: string) => (bytes: number) =>
  `"${unit.repeat(Math.floor((bytes - 2) / Buffer.byteLength(unit)))}"`;
const short = (index: number) => index.toString(36);

/**
 * A body of 6 MB has room for as many as it may contain. No number has the padding as a digit,
 * because a repeated name would be rejected immediately.
 */
const long = (index: number) => short(index).padStart(30, '_');

const objectOf40 = (index: number): string =>
  `{${Array.from({ length: 40 }, (_, at) => `"${short(index)}${short(at)}":0`).join(',')}}`;

/** Half of the text is names of 60 levels. The other half is a list of values at the bottom. */
const longPaths = (unit: string) => (bytes: number) => {
  const name = 'p'.repeat(Math.floor(bytes / 2 / DEPTH));
  const open = `{"${name}":`.repeat(DEPTH);
  return filled(`${open}[`, () => unit, `]${'}'.repeat(DEPTH)}`)(bytes);
};

/** Contains as many wrong texts as a mask of 10 KB can have. Each text differs. */
const WRONGLY_MASKED = `{"type":"token","data":0,"mask":[${Array.from({ length: 980 }, (_, index) => `"{{a${String(index)}}}"`).join()}]}`;

export const HOSTILE_VALUES: readonly HostileValue[] = [
  { name: '[0,0,...]', text: list('0') },
  { name: '[null,null,...]', text: list('null') },
  { name: '["","",...]', text: list('""') },
  { name: '["a","b",...]', text: filled('[', (index) => `"${short(index)}"`, ']') },
  { name: '[[],[],...]', text: list('[]') },
  { name: '[[[0]],...]', text: list('[[0]]') },
  { name: '[{},{},...]', text: list('{}') },
  { name: '[{"a":0},...]', text: list('{"a":0}') },
  { name: 'objects of other names', text: filled('[', (index) => `{"${short(index)}":0}`, ']') },
  { name: 'fractions', text: list('0.5') },
  { name: 'exponents', text: list('1e9') },
  { name: 'long numbers', text: list('1234567890123456.5') },
  { name: 'a number of 6 MB', text: (bytes) => `1${'0'.repeat(bytes - 1)}` },
  { name: 'members', text: members(short) },
  { name: 'members of long names', text: members(long) },
  { name: 'texts', text: filled('[', (index) => `"${long(index)}"`, ']') },
  { name: 'members that are numbers', text: members(String) },
  { name: 'members that are numbers far apart', text: members((index) => String(index * 4_093)) },
  { name: 'one member again and again', text: members(() => 'a') },
  {
    name: 'objects of 40 members',
    text: filled('[', (index) => objectOf40(index), ']'),
  },
  { name: 'lists 60 deep', text: list(`${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`) },
  { name: 'objects 60 deep', text: list(`${'{"a":'.repeat(DEPTH)}0${'}'.repeat(DEPTH)}`) },
  {
    name: 'wide, then deep',
    text: filled('{"a":[', () => '0', `],"b":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`),
  },
  { name: 'names with an escape', text: members((index) => `\\u0061${short(index)}`) },
  { name: 'names with a quote', text: members((index) => `\\"${short(index)}`) },
  { name: 'long names with a quote', text: members((index) => `\\"${long(index)}`) },
  { name: 'names with a tilde', text: filled('{"\\n":0,', (index) => `"~${short(index)}":0`, '}') },
  { name: 'objects with an escaped name', text: list('{"\\"":0}') },
  { name: 'objects with other escaped names', text: filled('[', (index) => `{"\\"${short(index)}":0}`, ']') },
  { name: 'escaped names 60 deep', text: list(`${'{"\\"":'.repeat(DEPTH)}0${'}'.repeat(DEPTH)}`) },
  { name: '[0,0,...] beside an escaped name', text: filled('[{"\\"":0},', () => '0', ']') },
  { name: '[[],[],...] beside an escaped name', text: filled('[{"\\"":0},', () => '[]', ']') },
  { name: 'texts beside an escaped name', text: filled('[{"\\"":0},', () => '"\\n"', ']') },
  { name: 'a text of 6 MB', text: text('a') },
  { name: 'a text of escapes', text: text('\\u0061') },
  { name: 'a text of line ends', text: text('\\n') },
  { name: 'a text of control characters', text: text('\\u0001') },
  { name: 'a text of 3-byte characters', text: text('€') },
  { name: 'a text of {', text: text('{') },
  { name: 'a text of expressions', text: text('{{a}}') },
  { name: 'a text of escaped expressions', text: text('\\u007b{a}}') },
  { name: 'expressions', text: list('"{{a}}"') },
  { name: 'other expressions', text: filled('[', (index) => `"{{a|b:${short(index)}}}"`, ']') },
  { name: 'expressions that are not closed', text: list('"{{"') },
  { name: 'expressions under long paths', text: longPaths('"{{"') },
  { name: 'values under long paths', text: longPaths('0') },
  { name: 'tokens', text: list('{"type":"token","data":0}') },
  {
    name: 'tokens with masks of wrong expressions',
    text: () => `[${Array.from({ length: 100 }, () => WRONGLY_MASKED).join()}]`,
  },
  { name: 'no tokens', text: list('{"type":0,"data":0}') },
  { name: 'cards', text: list('{"type":"card","data":{}}') },
  { name: 'tokens under long paths', text: longPaths('{"type":"card","data":{}}') },
  { name: 'cvcs', text: filled('{"cvc":[', () => '{"cvc":123}', ']}') },
  { name: 'containers', text: list('"/a/"') },
  { name: 'permissions', text: list('"token:read"') },
  {
    name: 'rules',
    text: list('{"priority":1,"container":"/","transform":"mask","permissions":["token:read"]}'),
  },
  { name: 'spaces', text: (bytes) => `[${' '.repeat(bytes - 2)}]` },
  { name: '[0,0,...] beyond the limit', text: list('0', Infinity) },
  { name: '[[],[],...] beyond the limit', text: list('[]', Infinity) },
  {
    name: 'escaped names beyond the limit',
    text: filled('{', (index) => `"\\"${short(index)}":0`, '}', Infinity),
  },
  { name: 'an end that is missing', text: (bytes) => list('[]')(bytes).slice(0, -1) },
];
