import { walkJson, type JsonVisitor } from '../shared/walk-json.ts';

const ignore = (): void => undefined;
const IGNORING: JsonVisitor = { open: ignore, name: ignore, scalar: ignore, close: ignore };

/** Whether a text is JSON by the rules of `JSON.parse`, without building the value. */
export function isJson(text: string): boolean {
  try {
    walkJson(text, IGNORING);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
