import {
  dollarsPerMillion,
  requestCosts,
  type Dollars,
  type RequestCosts,
} from '../../costs/request-costs.ts';
import { templateResources } from '../../costs/template-resources.ts';
import type { OperationCount } from './measure-counts.ts';
import type { WireCost } from './wire.ts';

/** What a million of an operation costs, in US dollars. */
export interface Price extends Dollars {
  readonly name: string;
}

/** API Gateway meters a request by so many bytes. */
const METERED_BYTES = 512 * 1024;

function priceOf(
  name: string,
  wire: WireCost,
  more: { readonly gatewayRequests: number; readonly waitsForOthers: boolean },
  costs: RequestCosts,
): Price {
  const { sqsCalls: messages, lambdaCalls: reactorRuns } = wire;
  return { name, ...dollarsPerMillion({ ...wire, messages, reactorRuns, ...more }, costs) };
}

/** What a million of each operation costs, and of each program that an operation starts. */
export async function pricesOf(counts: readonly OperationCount[]): Promise<readonly Price[]> {
  const costs = await requestCosts(templateResources());
  return counts.flatMap(({ name, warm, bodyBytes, afterwards }) => {
    const own = {
      gatewayRequests: Math.max(1, Math.ceil(bodyBytes / METERED_BYTES)),
      waitsForOthers: name.startsWith('proxy') || warm.lambdaCalls > 0,
    };
    const later = { gatewayRequests: 0, waitsForOthers: true };
    return [
      priceOf(name, warm, own, costs),
      ...afterwards.map((program) => priceOf(program.name, program.warm, later, costs)),
    ];
  });
}
