import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Response } from './responses.ts';
import { corpus } from './corpus/corpus.ts';

const FILE = path.join(import.meta.dirname, 'recorded-answers.json');

/** The responses that an independent implementation gave to the corpus. */
export interface Recording {
  /** Its name and version. */
  readonly implementation: string;
  /** Identifies the requests that were recorded. */
  readonly corpusHash: string;
  readonly answers: Readonly<Record<string, Response>>;
}

/** Changes with every request of the corpus: then the responses must be recorded again. */
export const corpusHash = createHash('sha256').update(JSON.stringify(corpus)).digest('hex');

export function readRecording(): Recording {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Recording;
}

/** One response a line, so that the diff of a new recording shows the changes. */
export function writeRecording(implementation: string, responses: ReadonlyMap<string, Response>): void {
  const lines = [...responses].map(
    ([step, response]) => `${JSON.stringify(step)}: ${JSON.stringify(response)}`,
  );
  const head = `"implementation": ${JSON.stringify(implementation)},\n"corpusHash": "${corpusHash}",`;
  writeFileSync(FILE, `{\n${head}\n"answers": {\n${lines.join(',\n')}\n}\n}\n`);
}
