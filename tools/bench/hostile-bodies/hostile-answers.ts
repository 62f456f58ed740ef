import type { ServerResponse } from 'node:http';

/** A destination of a measured call returns this. */
export interface HostileAnswer {
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: (bytes: number) => string;
}

/** The destination has the hostile answers at this path. */
const ANSWERS = 'answer';

/** The bytes of an answer, which has to fit into a response of Lambda. */
const ANSWER_BYTES = 5_900_000;

const answers = new Map<string, HostileAnswer>();

/** Makes the destination return an answer at the path that this returns. */
export function answerAt(name: string, answer: HostileAnswer): string {
  const path = `${ANSWERS}/${String(answers.size)}-${name.replaceAll(/\W+/g, '-')}`;
  answers.set(path, answer);
  return path;
}

/** Sends the answer of a path; false if there is none. */
export function sendAnswer(url: string, response: ServerResponse): boolean {
  const answer = answers.get(url.slice(1));
  if (answer === undefined) return false;
  const { type = 'application/json', headers = {}, text } = answer;
  response.setHeader('Content-Type', type);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(text(ANSWER_BYTES));
  return true;
}
