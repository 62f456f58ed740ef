/**
 * Whether a JSON reader accepts a text. If it rejects the text, the error must be a `SyntaxError`.
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
