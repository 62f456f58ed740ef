import { UsageError } from './failures.ts';

/** Parses the value of `--metadata`. */
export function pairOf(text: string): readonly [name: string, value: string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError('--metadata needs NAME=VALUE');
  return [text.slice(0, equals), text.slice(equals + 1)];
}
