import type { OperationCount } from './measure-counts.ts';
import type { WireCost } from './wire.ts';

/** List prices of us-east-1 in US dollars, as of 2026, without free tiers and discounts. */
const PRICES = {
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** On arm64. */
  gigabyteSecond: 0.0000133334,
  /** Metered by 512 KB. */
  gatewayRequest: 1 / 1e6,
  kmsRequest: 0.03 / 1e4,
  /** Standard queues. A message is sent, received and deleted: three requests. */
  sqsRequest: 0.4 / 1e6,
} as const;

/** As `lib/` and `adapters/lambda/` set it: functions behind the API, and everything else. */
const GIGABYTES = { api: 1, other: 0.5 } as const;

const METERED_BYTES = 512 * 1024;
const MILLION = 1e6;

/** How long AWS bills an invocation is not known here, so it is assumed: so much for the function itself, and so much for each round trip. */
const ASSUMED = {
  ownMs: 5,
  roundTripMs: 5,
  /** The proxy's destination, a reactor's run, a webhook's receiver. */
  othersMs: 200,
} as const;

/** What a million of an operation costs, in US dollars. */
export interface Price {
  readonly name: string;
  readonly database: number;
  readonly lambda: number;
  readonly gateway: number;
  readonly queues: number;
  readonly keys: number;
  readonly total: number;
}

function priceOf(
  name: string,
  wire: WireCost,
  {
    gatewayRequests,
    waitsMs,
    reactorRuns,
  }: { gatewayRequests: number; waitsMs: number; reactorRuns: number },
): Price {
  const seconds = (ASSUMED.ownMs + ASSUMED.roundTripMs * wire.sequential + waitsMs) / 1_000;
  const gigabytes = gatewayRequests > 0 ? GIGABYTES.api : GIGABYTES.other;
  const reactor =
    reactorRuns *
    (PRICES.lambdaRequest + (ASSUMED.othersMs / 1_000) * GIGABYTES.other * PRICES.gigabyteSecond);
  const each = {
    database: wire.readUnits * PRICES.readUnit + wire.writeUnits * PRICES.writeUnit,
    lambda: PRICES.lambdaRequest + seconds * gigabytes * PRICES.gigabyteSecond + reactor,
    gateway: gatewayRequests * PRICES.gatewayRequest,
    // Each message that is sent is received and deleted by AWS itself, which is billed but not on this wire.
    queues: wire.sqsCalls * 3 * PRICES.sqsRequest,
    keys: wire.kmsCalls * PRICES.kmsRequest,
  };
  const { database, lambda, gateway, queues, keys } = each;
  const total = database + lambda + gateway + queues + keys;
  return {
    name,
    database: database * MILLION,
    lambda: lambda * MILLION,
    gateway: gateway * MILLION,
    queues: queues * MILLION,
    keys: keys * MILLION,
    total: total * MILLION,
  };
}

/** What a million of each operation costs, and of each program that an operation starts. */
export function pricesOf(counts: readonly OperationCount[]): readonly Price[] {
  return counts.flatMap(({ name, warm, bodyBytes, afterwards }) => {
    const reactorRuns = warm.lambdaCalls;
    const waits = name.startsWith('proxy') || reactorRuns > 0;
    const own = priceOf(name, warm, {
      gatewayRequests: Math.max(1, Math.ceil(bodyBytes / METERED_BYTES)),
      waitsMs: waits ? ASSUMED.othersMs : 0,
      reactorRuns,
    });
    const later = afterwards.map((program) =>
      priceOf(program.name, program.warm, {
        gatewayRequests: 0,
        waitsMs: ASSUMED.othersMs,
        reactorRuns: program.warm.lambdaCalls,
      }),
    );
    return [own, ...later];
  });
}
