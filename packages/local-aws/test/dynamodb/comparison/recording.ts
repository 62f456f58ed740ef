import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Answer } from './answers.ts';
import { corpus } from './corpus/corpus.ts';

const FILE = path.join(import.meta.dirname, 'recorded-answers.json');

/** What an independent implementation answered to the corpus. */
export interface Recording {
  /** Its name and version. */
  readonly implementation: string;
  /** Of the requests that it answered. */
  readonly corpusHash: string;
  readonly answers: Readonly<Record<string, Answer>>;
}

/** Changes with every request of the corpus: then the answers must be recorded again. */
export const corpusHash = createHash('sha256').update(JSON.stringify(corpus)).digest('hex');

export function readRecording(): Recording {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Recording;
}

/** One answer a line, so that a new recording shows what has changed. */
export function writeRecording(implementation: string, answers: ReadonlyMap<string, Answer>): void {
  const lines = [...answers].map(([step, answer]) => `${JSON.stringify(step)}: ${JSON.stringify(answer)}`);
  const head = `"implementation": ${JSON.stringify(implementation)},\n"corpusHash": "${corpusHash}",`;
  writeFileSync(FILE, `{\n${head}\n"answers": {\n${lines.join(',\n')}\n}\n}\n`);
}
