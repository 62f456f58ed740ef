import { HELLO, type FieldKind } from '../protocol.ts';
import type { FieldContent } from './field-content.ts';

/*
 * Frames of one page speak to each other directly: the page brings no message and no port. A
 * message counts only from a window of this very origin that is in the same page.
 */

/** How long a frame waits for another one, which answers from memory. */
const ANSWER_MS = 3_000;

/** A frame asks another one for its value, and passes it the browser's autofill for its field. */
export type Question =
  | { readonly cloakroom: typeof HELLO; readonly ask: 'value'; readonly fieldId: string }
  | {
      readonly cloakroom: typeof HELLO;
      readonly ask: 'fill';
      readonly groupId: string;
      readonly kind: FieldKind;
      readonly text: string;
    };

/** Finds the other frames of this origin in the same page. */
function siblings(): readonly Window[] {
  const found: Window[] = [];
  for (let index = 0; index < window.parent.length; index += 1) {
    const each = window.parent[index];
    if (each === undefined || each === window) continue;
    try {
      // Only a window of this origin has an origin that can be read.
      if (each.origin === self.origin) found.push(each);
    } catch {
      // The frame has another origin, as an advertisement or a chat does.
    }
  }
  return found;
}

/** Whether a message comes from a frame of this origin in the same page. */
export function isFromSibling({ origin, source }: MessageEvent): boolean {
  return origin === self.origin && siblings().some((each) => each === source);
}

/** The content of a field of another frame; `undefined` if no frame has that field. */
export async function askFor(fieldId: string): Promise<FieldContent | undefined> {
  const question: Question = { cloakroom: HELLO, ask: 'value', fieldId };
  const answers = siblings().map((each) => {
    const { port1, port2 } = new MessageChannel();
    const answer = new Promise<FieldContent | undefined>((resolve) => {
      const waiting = setTimeout(() => resolve(undefined), ANSWER_MS);
      port1.onmessage = ({ data }: MessageEvent<FieldContent | undefined>) => {
        clearTimeout(waiting);
        resolve(data);
      };
    });
    each.postMessage(question, self.origin, [port2]);
    return answer.finally(() => port1.close());
  });
  return firstOf(answers);
}

/** The first answer with a content: the other frames answer that the field is not theirs. */
async function firstOf(
  answers: readonly Promise<FieldContent | undefined>[],
): Promise<FieldContent | undefined> {
  return new Promise((resolve) => {
    for (const answer of answers) void answer.then((content) => content !== undefined && resolve(content));
    void Promise.all(answers).then(() => resolve(undefined));
  });
}

/** Passes on what a browser filled in here for a field of another frame. */
export function passOn(groupId: string, kind: FieldKind, text: string): void {
  const question: Question = { cloakroom: HELLO, ask: 'fill', groupId, kind, text };
  for (const each of siblings()) each.postMessage(question, self.origin);
}
