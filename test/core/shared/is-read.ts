/**
 * Whether a reader of JSON takes a text; what it throws for one that it refuses is a `SyntaxError`.
 */
export function isRead(read: (text: string) => unknown, text: string): boolean {
  try {
    read(text);
    return true;
  } catch (error) {
    expect((error as Error).name).toBe('SyntaxError');
    return false;
  }
}
