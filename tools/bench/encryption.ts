// `npm run bench -- encryption`: a record next to AES-256-GCM with a ready key, alternating, each
// in its own process.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { BUDGETS } from './budgets.ts';
import { effort } from './effort.ts';
import { ratioBudget, repeatedNear } from './near-limit.ts';
import {
  measureKeys,
  ENCRYPTED_NAMES,
  type EncryptedName,
  type EncryptionResult,
} from './encryption/measure-encryption.ts';
import { report, type Budget } from './section.ts';

const STEPS = ['encrypt', 'decrypt'] as const;
type Step = (typeof STEPS)[number];

const microseconds = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)} us`;
const row = (name: string, { microseconds: own, referenceMicroseconds: other, ratio }: EncryptionResult) => [
  ...[name, microseconds(own), microseconds(other), ratio.toFixed(2)],
];

function measured(step: Step, name: EncryptedName): EncryptionResult {
  const program = join(import.meta.dirname, 'encryption/encryption-process.ts');
  return JSON.parse(
    execFileSync(process.execPath, [program, step, name], { encoding: 'utf8' }),
  ) as EncryptionResult;
}

const budgets: Budget[] = [];
const rows: string[][] = [];
for (const step of STEPS) {
  const again = () => measured(step, 'a card');
  const runs = await repeatedNear(BUDGETS.encryption[step], again(), again);
  budgets.push(
    ratioBudget(
      `${step} a card`,
      BUDGETS.encryption[step],
      runs,
      ({ referenceMicroseconds: other }) => `raw AES-256-GCM, ${microseconds(other)}`,
    ),
  );
  rows.push(row(`${step} a card`, runs.median));
}
const others = ENCRYPTED_NAMES.filter((each) => each !== 'a card');
for (const name of others.slice(0, effort(others.length, 1)))
  for (const step of STEPS) rows.push(row(`${step} ${name}`, measured(step, name)));

report({
  budgets,
  figures: [
    { title: 'Encryption', columns: ['', 'Cloakroom', 'raw AES-256-GCM', 'ratio'], rows },
    {
      title: 'Keys in Node',
      columns: ['', 'as bytes', 'as a KeyObject', 'ratio'],
      rows: Object.entries(measureKeys()).map(([name, found]) => row(name, found)),
    },
  ],
});
