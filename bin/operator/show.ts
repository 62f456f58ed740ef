import type { Response } from './command-behaviour.ts';

const isRecord = (value: unknown): value is Response =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as text; members of an object on one line. */
function shown(value: unknown): string {
  if (!isRecord(value)) return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name} ${String(member)}`)
    .join(', ');
}

function lines(result: Response): readonly string[] {
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  return Object.entries(result).map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`);
}

/** A result as lines, with lists as blocks of lines; or the whole result as JSON. */
export function show(result: Response, asJson: boolean): string {
  if (asJson) return `${JSON.stringify(result)}\n`;
  const lists = Object.entries(result).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return [];
    const blocks = value.filter(isRecord).map((each) => lines(each).join('\n'));
    return [blocks.length === 0 ? `no ${name}` : blocks.join('\n\n')];
  });
  const plain = Object.fromEntries(Object.entries(result).filter(([, value]) => !Array.isArray(value)));
  const rest = Object.keys(plain).length === 0 ? [] : lines(plain);
  return [...lists, ...rest].map((line) => `${line}\n`).join('');
}
