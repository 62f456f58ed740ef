// `npm run bench -- sealing`: sealing and opening a record beside AES-256-GCM with a key that is
// there, in turn, in one run.
import { measureKeys, measureSealing, SEALED } from './sealing/measure-sealing.ts';
import { report, type Budget } from './section.ts';

const LIMIT = 4;

const microseconds = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)} us`;

const found = SEALED.map(([name, plaintext]) => [name, measureSealing(plaintext)] as const);
const rows = found.flatMap(([name, both]) =>
  (['seal', 'open'] as const).map((step) => {
    const { microseconds: own, referenceMicroseconds: reference, ratio } = both[step];
    return [`${step} ${name}`, microseconds(own), microseconds(reference), ratio.toFixed(2)];
  }),
);
const budgets: Budget[] = (['seal', 'open'] as const).map((step) => {
  const { microseconds: own, referenceMicroseconds: reference, ratio } = measuredCard()[step];
  return {
    budget: `${step} a card`,
    limit: `${String(LIMIT)} times`,
    measured: `${ratio.toFixed(2)} times (${microseconds(own)})`,
    reference: `raw AES-256-GCM, ${microseconds(reference)}`,
    isMet: ratio <= LIMIT,
  };
});

function measuredCard() {
  const [, card] = found[0] ?? [];
  if (card === undefined) throw new Error('no card was measured');
  return card;
}

const keys = Object.entries(measureKeys()).map(([name, found]) => [
  name,
  microseconds(found.microseconds),
  microseconds(found.referenceMicroseconds),
  found.ratio.toFixed(2),
]);

report({
  budgets,
  figures: [
    { title: 'Sealing', columns: ['', 'Cloakroom', 'raw AES-256-GCM', 'ratio'], rows },
    { title: 'Keys in Node', columns: ['', 'as bytes', 'as a KeyObject', 'ratio'], rows: keys },
  ],
});
