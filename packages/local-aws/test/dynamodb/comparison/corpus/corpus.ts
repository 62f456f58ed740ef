import { batchSteps } from './batches.ts';
import { conditionSteps } from './conditions.ts';
import { itemSteps, sizeSteps } from './items.ts';
import { keySteps } from './keys.ts';
import { pageSteps } from './pages.ts';
import { refusalSteps } from './refusals.ts';
import { statementSteps } from './statements.ts';
import type { Step } from './step.ts';
import { transactionSteps } from './transactions.ts';
import { updateSteps, upsertSteps } from './updates.ts';

/** The requests depend on the ones before, so their order matters. */
export const corpus: readonly Step[] = [
  ...itemSteps,
  ...sizeSteps,
  ...conditionSteps,
  ...updateSteps,
  ...upsertSteps,
  ...keySteps,
  ...batchSteps,
  ...transactionSteps,
  ...refusalSteps,
  ...pageSteps,
  ...statementSteps,
];
