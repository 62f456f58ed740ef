import { isSigned } from '../models/internet-model.ts';
import type { Cast } from '../run.ts';
import { walk, type Found } from './found.ts';

type Job = Cast['shared']['jobs'] extends Map<string, infer T> ? T : never;

const deliveriesOf = ({ internet }: Cast, { id }: Job) =>
  internet.arrivals.filter(({ headers }) => id !== undefined && headers['webhook-id'] === id);

/** Whether an invocation that was accepted has ended in a delivery, if it names an address. */
export const isDelivered = (cast: Cast, job: Job): boolean =>
  job.id === undefined || job.isUnsent || deliveriesOf(cast, job).some(({ isAccepted }) => isAccepted);

/** Sends each parked delivery again that the clients have left, to an address that now gets it. */
export async function sendParkedAgain(cast: Cast): Promise<void> {
  const { shared, target, service, internet, findings } = cast;
  const left = [...shared.jobs.values()].filter(
    (job) => job.closedPath !== undefined && job.isResent !== true && !isDelivered(cast, job),
  );
  if (left.length === 0) return;
  const deliveries = `/reactors/${target.reactorId}/deliveries`;
  for (const { invocation_id: id } of await walk(cast, target.managementKey, deliveries)) {
    const job = [...shared.jobs.values()].find((each) => each.id === id);
    if (job?.closedPath === undefined) {
      findings.problems.push({ judge: 'parked', text: `${String(id)} is parked, and nothing explains it` });
      return;
    }
    internet.open(job.closedPath);
    const request = { method: 'POST', path: `${deliveries}/${String(id)}/resend`, key: target.managementKey };
    const answer = await service.request('judge', request);
    if (answer?.status === 204) job.isResent = true;
    else
      findings.problems.push({ judge: 'parked', text: `resend of ${job.name}: ${String(answer?.status)}` });
  }
}

/** How long a receiver accepts a signature, in ms (Standard Webhooks). */
const SIGNED_WITHIN_MS = 300_000;

/** No code runs twice, and what was accepted ends in one result, which is delivered and signed. */
export async function jobsEnd(cast: Cast): Promise<Found> {
  const { shared, target, service } = cast;
  const problems: string[] = [];
  for (const [name, values] of shared.runs) {
    const job = shared.jobs.get(name);
    if (job === undefined) problems.push(`no client invoked ${name}, which ran`);
    else if (values.length > 1) problems.push(`${name} ran ${String(values.length)} times`);
    else if (!String(values[0]).startsWith(`${job.token.mark}#`))
      problems.push(`${name} ran with ${String(values[0])}`);
  }
  for (const job of shared.jobs.values()) {
    if (job.id === undefined) continue;
    const arrivals = deliveriesOf(cast, job);
    if (job.isUnsent && arrivals.length > 0) problems.push(`${job.name} named no address, and was delivered`);
    if (!isDelivered(cast, job)) problems.push(`${job.name} was accepted, and not delivered`);
    const unsigned = arrivals.filter((arrival) => !isSigned(arrival, target.webhookSecret, SIGNED_WITHIN_MS));
    if (unsigned.length > 0) problems.push(`${job.name} was delivered without a signature`);
    // A result ends with its token. A later attempt says so instead.
    const isOver = ({ body }: { readonly body: string }) =>
      job.token.expiresAt !== Infinity && (JSON.parse(body) as { readonly status?: number }).status === 409;
    const current = arrivals.filter((arrival) => !isOver(arrival));
    if (current.length === 0) continue;
    const bodies = new Set(current.map(({ body }) => body));
    if (bodies.size !== 1) problems.push(`${job.name} was delivered with ${String(bodies.size)} results`);
    const [body = '{}'] = bodies;
    const { raw, status } = JSON.parse(body) as {
      readonly raw?: { readonly job: string };
      readonly status?: number;
    };
    if (raw !== undefined && raw.job !== job.name) problems.push(`${job.name} was delivered as ${body}`);
    if (raw !== undefined && shared.runs.get(job.name)?.length !== 1)
      problems.push(`${job.name} did not run, and has a result`);
    if (raw === undefined && job.isSure && job.token.exists === 'yes' && job.token.expiresAt === Infinity)
      problems.push(`${job.name} failed, which nothing explains: ${body}`);
    if (raw === undefined && status === undefined) problems.push(`${job.name} was delivered as ${body}`);
    const path = `/reactors/${target.reactorId}/results/${job.id}`;
    const answer = await service.request('judge', { method: 'GET', path, key: target.privateKey });
    const state = answer?.body.status as string | undefined;
    if (state !== 'succeeded' && state !== 'failed')
      problems.push(`${job.name} has not ended: ${String(answer?.status)} ${String(state)}`);
  }
  return problems;
}
