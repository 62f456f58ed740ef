import {
  dollarsPerMillion,
  requestCosts,
  retentionDollars,
  type Dollars,
  type RequestCosts,
} from '../../costs/request-costs.ts';
import { templateResources } from '../../costs/template-resources.ts';
import type { OperationCount } from './measure-counts.ts';
import type { WireCost } from './wire.ts';

/** The cost of a million of an operation, in US dollars. */
export interface Price extends Dollars {
  readonly name: string;
  /** The price of the stored records until they expire; not in the total. */
  readonly overRetention: number;
}

/** API Gateway meters requests in units of so many bytes. */
const METERED_BYTES = 512 * 1024;

function priceOf(
  name: string,
  wire: WireCost,
  trailBytes: number,
  more: { readonly gatewayRequests: number; readonly waitsForOthers: boolean },
  costs: RequestCosts,
): Price {
  const { sqsCalls: messages, lambdaCalls: reactorRuns } = wire;
  const dollars = dollarsPerMillion({ ...wire, messages, reactorRuns, ...more }, costs);
  return { name, ...dollars, overRetention: retentionDollars(trailBytes) };
}

/** The cost of a million of each operation, and of each program that it starts. */
export function pricesOf(counts: readonly OperationCount[]): readonly Price[] {
  const costs = requestCosts(templateResources());
  return counts.flatMap(({ name, warm, trailBytes, bodyBytes, afterwards }) => {
    const own = {
      gatewayRequests: Math.max(1, Math.ceil(bodyBytes / METERED_BYTES)),
      waitsForOthers: /proxy/.test(name) || warm.lambdaCalls > 0,
    };
    const later = { gatewayRequests: 0, waitsForOthers: true };
    return [
      priceOf(name, warm, trailBytes, own, costs),
      ...afterwards.map((program) => priceOf(program.name, program.warm, 0, later, costs)),
    ];
  });
}
