/**
 * The line and column of a position in a text, counted from 1 as in editors. A column is a UTF-16
 * code unit.
 */
export function linePosition(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n');
  return `line ${String(lines.length)}, column ${String((lines.at(-1) ?? '').length + 1)}`;
}

/** Like {@link linePosition}, but a text of one line has only the column. */
export function textPosition(text: string, at: number): string {
  return text.includes('\n') ? linePosition(text, at) : `column ${String(at + 1)}`;
}
