import { ERROR_BOUNDS } from '../worker-message.ts';
import { memberOf } from './hostile-member.ts';
import { charCodeAt, indexOf, slice, stringifyJson, toNumber } from './primordials.ts';

const ZERO = 48;
const NINE = 57;
const COLON = 58;
/** How many frames of the author's file are searched: code can create a stack of any text. */
const FRAMES_MAX = 100;

function endOfDigits(text: string, from: number): number {
  let at = from;
  for (let code = charCodeAt(text, at); code >= ZERO && code <= NINE; code = charCodeAt(text, at)) at += 1;
  return at;
}

/** A position in a file, and where the stack has it. */
interface Place {
  readonly at: number;
  readonly line: number;
  readonly column: number;
}

/** Finds the first `<file>:<line>:<column>` in a stack after `from`. */
function placeIn(stack: string, from: number, file: string): Place | undefined {
  const mark = `${file}:`;
  let at = indexOf(stack, mark, from);
  for (let frames = 0; at !== -1 && frames < FRAMES_MAX; frames += 1) {
    const line = at + mark.length;
    const colon = endOfDigits(stack, line);
    const end = endOfDigits(stack, colon + 1);
    if (colon > line && charCodeAt(stack, colon) === COLON && end > colon + 1)
      return {
        at,
        line: toNumber(slice(stack, line, colon)),
        column: toNumber(slice(stack, colon + 1, end)),
      };
    at = indexOf(stack, mark, line);
  }
  return undefined;
}

/** The name of its class, which may be anything; for a primitive its type. */
export function classOf(thrown: unknown): unknown {
  if (thrown === null) return 'null';
  if (typeof thrown !== 'object' && typeof thrown !== 'function') return typeof thrown;
  return memberOf(memberOf(thrown, 'constructor'), 'name');
}

/** The files in which a position is looked for. */
export interface CodeFiles {
  /** The author wrote this code. */
  readonly code: string;
  /** The packages that the reactor brings. */
  readonly packages: string;
}

const numbersOf = (prefix: string, { line, column }: Place): string =>
  `,"${prefix}line":${stringifyJson(line)},"${prefix}column":${stringifyJson(column)}`;

/**
 * The class of the thrown value, the topmost position of its stack in the author's file, and that
 * in the reactor's packages if it is above. The code controls all of them, so the loop checks that
 * they are only an identifier and numbers.
 */
export function thrownPlace(thrown: unknown, { code, packages }: CodeFiles): string {
  const name = classOf(thrown);
  const shown = typeof name === 'string' ? slice(name, 0, ERROR_BOUNDS.class + 1) : '';
  const stack = memberOf(thrown, 'stack');
  const message = memberOf(thrown, 'message');
  // The message comes first, and may quote another stack.
  const before = typeof message === 'string' ? message : '';
  if (typeof stack !== 'string') return `"class":${stringifyJson(shown)}`;
  const from = indexOf(stack, before) + before.length;
  const place = placeIn(stack, from, code);
  const above = placeIn(stack, from, packages);
  const isAbove = above !== undefined && (place === undefined || above.at < place.at);
  return `"class":${stringifyJson(shown)}${place === undefined ? '' : numbersOf('', place)}${isAbove ? numbersOf('package_', above) : ''}`;
}
