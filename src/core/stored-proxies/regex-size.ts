/** The costs of compiling an expression, which are read from its text. */
export interface RegexSize {
  /** Its program has at most so many steps. */
  readonly steps: number;
  /**
   * Characters in ranges where case is ignored, which a compiler looks up one by one, and
   * {@link CATEGORY_CHARACTERS} for each category of Unicode.
   */
  readonly characters: number;
}

/** Merging the ranges of a category, such as `\pL`, costs about as much as so many characters. */
const CATEGORY_CHARACTERS = 20_000;

/** Whether a group of flags, such as `(?i)` or `(?is:`, ignores case. */
const IGNORES_CASE = /\(\?[A-Za-z]*i/;

/** The parts of an expression in the syntax of RE2; what is none of the named ones is an atom. */
const PART =
  /\\Q(?<quoted>[^]*?)(?:\\E|$)|(?<repetition>\{\d{1,4}(?:,(?:\d{1,4})?)?\})|(?<open>\((?:\?(?:P?<\w*>|[A-Za-z-]*:?))?)|(?<close>\))|(?<bracket>\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]?)|(?<modifier>[*+?])|\\(?:x\{[\dA-Fa-f]+\}|[pP]\{[^}]*\}|[^])|[^]/gu;

/** One character of a class, a range, or a class by name. */
const MEMBER =
  /\[:\^?\w+:\]|(?<low>\\x\{[\dA-Fa-f]+\}|\\[^]|[^])-(?<high>\\x\{[\dA-Fa-f]+\}|\\[^]|[^\]])|\\[pP]\{[^}]*\}|\\[^]|[^]/gu;

const isCategory = (text: string): boolean => /^\\p/i.test(text);

function codePointOf(text: string): number {
  const braced = /^\\x\{(.+)\}$/.exec(text)?.[1];
  if (braced !== undefined) return parseInt(braced, 16);
  return text.codePointAt(text.startsWith('\\') ? 1 : 0) ?? 0;
}

interface Reading {
  steps: number;
  /** Steps of the part that a repetition would repeat. */
  last: number;
  /** How many steps were before each open group. */
  readonly groups: number[];
  /** How many characters ranges have. */
  width: number;
  categories: number;
}

function add(reading: Reading, steps: number): void {
  reading.steps += steps;
  reading.last = steps;
}

function repeat(reading: Reading, text: string): void {
  const [least = 0, most = 0] = text.slice(1, -1).split(',').map(Number);
  const times = Math.max(least + (text.includes(',') ? 1 : 0), most, 1);
  // Each copy that may be left out has a step of its own.
  const added = reading.last * (times - 1) + (times - least) + 1;
  reading.steps += added;
  reading.last += added;
}

function readBracket(reading: Reading, text: string): void {
  for (const { 0: member, groups } of text.slice(1, -1).matchAll(MEMBER)) {
    if (isCategory(member)) reading.categories += 1;
    const { low, high } = groups ?? {};
    if (low !== undefined && high !== undefined)
      reading.width += Math.max(0, codePointOf(high) - codePointOf(low));
  }
  add(reading, 1);
}

const READERS: Readonly<Record<string, (reading: Reading, text: string) => void>> = {
  // A repetition after it is that of its last character.
  quoted: (reading, text) => {
    add(reading, text.length);
  },
  repetition: repeat,
  open: ({ groups, steps }) => {
    groups.push(steps);
  },
  close: (reading) => {
    reading.steps += 2;
    reading.last = reading.steps - (reading.groups.pop() ?? reading.steps);
  },
  bracket: readBracket,
  modifier: (reading) => {
    reading.steps += 1;
  },
};

/** Reads an expression without compiling it, in linear time. */
export function regexSize(expression: string): RegexSize {
  const reading: Reading = { steps: 0, last: 0, groups: [], width: 0, categories: 0 };
  for (const { 0: text, groups = {} } of expression.matchAll(PART)) {
    const named: readonly (readonly [string, string | undefined])[] = Object.entries(groups);
    const [name, part = ''] = named.find(([, found]) => found !== undefined) ?? [];
    if (name !== undefined) READERS[name]?.(reading, part);
    else {
      if (isCategory(text)) reading.categories += 1;
      add(reading, 1);
    }
  }
  const folded = IGNORES_CASE.test(expression) ? reading.width : 0;
  return { steps: reading.steps, characters: folded + reading.categories * CATEGORY_CHARACTERS };
}
