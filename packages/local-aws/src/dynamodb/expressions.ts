import type { ParsedExpression, UpdateSection } from './dynalite-types.ts';
import { notImplemented, validationFailure } from './failures.ts';

const MAX_EXPRESSION_BYTES = 4096;
const MAX_IN_OPERANDS = 100;
const EQUALITIES = ['=', '<>', 'in'];
const ORDERS = ['<', '<=', '>', '>=', 'between'];
const ORDERED_TYPES = ['S', 'N', 'B'];

/** Throws AwsError ValidationException for an expression over 4 KB. */
export function requireShortExpressions(body: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(body)) {
    if (!name.endsWith('Expression') || typeof value !== 'string') continue;
    const size = Buffer.byteLength(value);
    if (size <= MAX_EXPRESSION_BYTES) continue;
    throw validationFailure(
      `Invalid ${name}: Expression size has exceeded the maximum allowed size; expression size: ${String(size)}`,
    );
  }
}

function isExpression(arg: ParsedExpression | readonly (string | number)[]): arg is ParsedExpression {
  return !Array.isArray(arg);
}

/** The types of the values among operands; an operator or a function has none. */
function typesOf(operands: readonly ParsedExpression[]): readonly string[] {
  return operands.filter(({ type }) => type === undefined).flatMap((literal) => Object.keys(literal));
}

/**
 * Checks that dynalite lacks in a condition or filter. It compares lists and maps by identity,
 * which would always be wrong, so such a comparison is refused. `member` is the request's.
 */
export function requireSupported(member: string, { type = '', args = [] }: ParsedExpression): void {
  const operands = args.filter(isExpression);
  const types = typesOf(operands);
  if (EQUALITIES.includes(type) && types.some((each) => each === 'L' || each === 'M'))
    throw notImplemented('comparing a list or map with =, <> or IN');
  const unordered = ORDERS.includes(type) && types.find((each) => !ORDERED_TYPES.includes(each));
  if (unordered)
    throw validationFailure(
      `Invalid ${member}: Incorrect operand type for operator or function; ` +
        `operator or function: ${type.toUpperCase()}, operand type: ${unordered}`,
    );
  if (type === 'in' && args.length - 1 > MAX_IN_OPERANDS)
    throw validationFailure(
      `Invalid ${member}: The IN operator is provided with too many operands; ` +
        `number of operands: ${String(args.length - 1)}`,
    );
  for (const operand of operands) requireSupported(member, operand);
}

function byLastElementFirst({ path: a }: UpdateSection, { path: b }: UpdateSection): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  const left = a[at] ?? '';
  const right = b[at] ?? '';
  if (typeof left === 'number' && typeof right === 'number') return right - left;
  return String(left) < String(right) ? -1 : 1;
}

/**
 * Reorders an update's actions so that each finds list elements at their positions before the
 * update: dynalite applies one after the other, and a removal moves the rest.
 */
export function removalsLast(sections: readonly UpdateSection[]): readonly UpdateSection[] {
  return [
    ...sections.filter(({ type }) => type !== 'remove'),
    ...sections.filter(({ type }) => type === 'remove').toSorted(byLastElementFirst),
  ];
}
