import { z } from 'zod';
import type { Account } from './account.ts';
import { finding, nameOf, ok, warning, type Check } from './check.ts';
import type { Needs } from './needs.ts';

/** Lambda reserves so much of an account's quota for functions without a reservation. */
const UNRESERVED_LEAST = 100;
/** A burst of asynchronous runs can occupy fewer (docs/deploy.md#from-nothing-to-a-first-token). */
const QUOTA_ENOUGH = 1_000;
/** The alarm ConcurrencyHigh rings at this part of the quota. */
const HIGH = 0.8;

interface Place {
  readonly account: Account;
  readonly region: string;
}

/** Sums the reservations that the functions of the app have, where it is deployed. */
async function reservedNow({ account, region }: Place, { functions }: Needs): Promise<number> {
  let sum = 0;
  for (const stack of new Set(functions.map((each) => each.stack))) {
    const resources = await account.resourcesOf(stack, region);
    for (const { logicalId } of functions.filter((each) => each.stack === stack)) {
      const name = resources?.get(logicalId);
      sum += (name === undefined ? undefined : await account.reservedOf(name)) ?? 0;
    }
  }
  return sum;
}

interface Room {
  readonly quota: number;
  readonly wanted: number;
  /** The part of the quota that no other function reserves. */
  readonly available: number;
}

function ofReservations({ quota, wanted, available }: Room): Check {
  const id = 'reserved-concurrency';
  if (wanted === 0)
    return ok(id, 'no function reserves instances, so all of them share the quota of the account');
  const left = available - wanted;
  const figures = `${String(wanted)} of the ${String(quota)} concurrent executions of the account`;
  if (left >= UNRESERVED_LEAST)
    return ok(id, `the functions reserve ${figures}; ${String(left)} stay for all others`);
  if (quota <= UNRESERVED_LEAST)
    return finding(
      id,
      `reservedConcurrency needs ${figures}, which allows none`,
      `Raise the quota Concurrent executions of Lambda to at least ${String(wanted + UNRESERVED_LEAST)} first, or deploy without reservedConcurrency.`,
    );
  return finding(
    id,
    `the functions reserve ${figures}, of which other functions reserve ${String(quota - available)}; ${String(left)} would stay, and AWS demands ${String(UNRESERVED_LEAST)}`,
    `Reserve ${String(UNRESERVED_LEAST - left)} less, or raise the quota Concurrent executions of Lambda.`,
  );
}

function ofQuota(quota: number): Check {
  const id = 'concurrency-quota';
  if (quota >= QUOTA_ENOUGH) return ok(id, `the quota of concurrent executions is ${String(quota)}`);
  return warning(
    id,
    `the quota of concurrent executions is ${String(quota)}: ${String(Math.max(1, Math.floor(quota / 25)))} slow calls of a proxy a second use it up`,
    `Ask for ${String(QUOTA_ENOUGH)}: aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${String(QUOTA_ENOUGH)}`,
  );
}

/** The alarm compares with the setting, and not with the account. */
function ofAlarm(quota: number, wanted: number, rings: number | undefined): readonly Check[] {
  const id = 'concurrency-alarm';
  if (rings === undefined) return [];
  const remedy = `Set concurrencyQuota=${String(quota)}.`;
  if (rings !== Math.ceil(HIGH * quota))
    return [
      warning(
        id,
        `ConcurrencyHigh rings at ${String(rings)}, and the quota is ${String(quota)}: the setting concurrencyQuota is another one`,
        remedy,
      ),
    ];
  if (wanted >= rings)
    return [
      warning(
        id,
        `ConcurrencyHigh rings at ${String(rings)}, and what is reserved counts as in use: it always rings`,
        'Reserve less than 80 percent of the quota, or raise the quota.',
      ),
    ];
  return [ok(id, `ConcurrencyHigh rings at ${String(rings)}, 80 percent of the quota`)];
}

export async function ofConcurrency(place: Place, needs: Needs): Promise<readonly Check[]> {
  const { quota, unreserved } = await place.account.concurrency();
  const wanted = needs.reserved.reduce((sum, { count }) => sum + count, 0);
  const available = unreserved + (await reservedNow(place, needs));
  return [
    ofQuota(quota),
    ofReservations({ quota, wanted, available }),
    ...ofAlarm(quota, wanted, needs.concurrencyHigh),
  ];
}

export async function ofTables({ account }: Place, needs: Needs): Promise<readonly Check[]> {
  const id = 'table-writes';
  const most = await account.tableWrites();
  const { warmWrites, maxWrites } = needs;
  const quota = `the quota of a table is ${String(most)} write units a second`;
  if (warmWrites > most)
    return [
      finding(
        id,
        `warmThroughput asks for ${String(warmWrites)}, and ${quota}`,
        'Lower it, or raise the quota Table-level write throughput limit of DynamoDB.',
      ),
    ];
  if (maxWrites > most)
    return [
      warning(
        id,
        `tableMaxWrites is ${String(maxWrites)}, and ${quota}: the maximum has no effect`,
        'Lower it.',
      ),
    ];
  return [ok(id, quota)];
}

const GATEWAY = { rate: 'L-8A5B8E43', burst: 'L-CDF5615A' } as const;
const quotaAnswer = z.object({ Quota: z.object({ Value: z.number() }) });

/** A quota that was never changed may have its default alone. */
async function gatewayQuota({ account, region }: Place, code: string): Promise<number> {
  const input = { ServiceCode: 'apigateway', QuotaCode: code };
  const ask = (operation: string) => account.json('servicequotas', region, operation, input);
  const answer = await ask('GetServiceQuota').catch((error: unknown) => {
    if (nameOf(error) !== 'NoSuchResourceException') throw error;
    return ask('GetAWSDefaultServiceQuota');
  });
  return quotaAnswer.parse(answer).Quota.Value;
}

export async function ofGateway(place: Place, needs: Needs): Promise<readonly Check[]> {
  const all: Check[] = [];
  for (const [setting, code, wanted] of [
    ['throttleRate', GATEWAY.rate, needs.rate],
    ['throttleBurst', GATEWAY.burst, needs.burst],
  ] as const) {
    if (wanted === undefined) continue;
    const id = setting === 'throttleRate' ? 'gateway-rate' : 'gateway-burst';
    const most = await gatewayQuota(place, code);
    const figures = `${setting} is ${String(wanted)}, and the quota of all APIs in ${place.region} ${String(most)}`;
    all.push(
      wanted <= most
        ? ok(id, figures)
        : warning(id, `${figures}: AWS throttles before`, 'Lower the setting, or raise the quota.'),
    );
  }
  return all;
}
