import { PRICES } from '../../lib/prices.ts';
import type { Count } from './service.ts';

const PAGE = 100;

/** It is measured as `list 100 by cursor` (docs/storage.md): small tokens, and their record. */
const OF_A_PAGE = { readUnits: 114, auditWriteUnits: 2 } as const;

/** The function takes 40 ms with 1 GB, and the logs get its line and that of the gateway. */
const OF_A_REQUEST =
  PRICES.gatewayRequest + PRICES.lambdaRequest + 0.04 * PRICES.gigabyteSecond + 850e-9 * PRICES.logGigabyte;

const DOLLARS_OF_A_PAGE =
  OF_A_PAGE.readUnits * PRICES.readUnit +
  OF_A_PAGE.auditWriteUnits * PRICES.infrequent.writeUnit +
  OF_A_REQUEST;

/** Says what an export costs the service, by counted units and the list prices of AWS. */
export function priceOf({ tokens }: Pick<Count, 'tokens'>): {
  readonly requests: number;
  readonly dollars: number;
} {
  const pages = Math.ceil(tokens / PAGE);
  return { requests: pages + 3, dollars: pages * DOLLARS_OF_A_PAGE };
}
