import { createHash } from 'node:crypto';
import type { IdempotencyStore } from '../idempotency/idempotency-store.ts';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Running as Call } from './exchange.ts';
import type { ProxyReports } from './proxy-reports.ts';
import { secretsOf } from './retired-secrets.ts';
import { TransformError } from './transform-failure.ts';

type Running = Pick<Call, 'call' | 'proxy' | 'configuration' | 'remover'>;

export interface GuessDeps extends Pick<ProxyReports, 'onSecretGuessed'> {
  readonly idempotencyStore: IdempotencyStore;
  readonly clock: Clock;
}

const HOUR_MS = 60 * 60 * 1000;
/** Nothing but the key of a report decides whether it was made. */
const NO_BODY = createHash('sha256').update('').digest();

/** Whether this name of this proxy was not reported in this hour yet. */
async function isFirst(
  { idempotencyStore, clock }: GuessDeps,
  { tenantId, id }: Running['proxy']['stored'],
  name: string,
): Promise<boolean> {
  const now = clock();
  const hour = Math.floor(now / HOUR_MS);
  const text = JSON.stringify(['configuration-guessed', id, name, hour]);
  const request = createHash('sha256').update(text).digest('base64url');
  try {
    const times = { now, leaseUntil: (hour + 1) * HOUR_MS };
    const claim = await idempotencyStore.claim({ tenantId, request }, NO_BODY, times);
    return claim.state === 'claimed';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // One report too many is better than none.
    return true;
  }
}

/** The names of secrets that a request has in a form in which responses lose them. */
function namesInRequest({ call, remover }: Running): readonly string[] {
  if (remover === undefined) return [];
  const { suffix, query, headers, body, isReserved } = call;
  const fields = Object.entries(headers).filter(([name]) => !isReserved(name));
  const head = [suffix, query, ...fields.flat()].join('\n');
  return [...new Set([...remover.namesIn(Buffer.from(head)), ...remover.namesIn(body.bytes)])];
}

/**
 * Reports a call that already has a secret of its proxy: its caller knows it, or has guessed it.
 * The call is served as ever, and nothing that a tenant can read says so, because that would
 * confirm the guess. A name of a proxy is reported once an hour.
 */
export async function reportGuesses(deps: GuessDeps, running: Running): Promise<void> {
  const { proxy, call } = running;
  const { tenantId, id: proxyId } = proxy.stored;
  for (const name of foundNames(running))
    if (await isFirst(deps, proxy.stored, name))
      deps.onSecretGuessed({ traceId: call.traceId, tenantId, proxyId, name });
}

function foundNames(running: Running): readonly string[] {
  try {
    return namesInRequest(running);
  } catch (error) {
    // A request that has a secret too often to count them all has it.
    if (!(error instanceof TransformError)) throw error;
    const [name = 'a secret of before'] = Object.keys(secretsOf(running.configuration.reveal()));
    return [name];
  }
}
