import { presence, type Client, type KnownJob } from '../client.ts';
import { CLOSED } from '../models/internet-model.ts';
import { sees } from './known-tokens.ts';
import { management, post, type Body, type Step } from './step.ts';

/** The token that is filled in, and the expression that does so. */
function aValue(client: Client) {
  const token = client.aToken();
  if (!token || presence(client, token) !== 'yes') return undefined;
  return { token, expression: `{{ ${token.id} }}` };
}

export const forward: Step = async (client) => {
  const value = aValue(client);
  if (!value) return;
  const headers = { 'svc-proxy-url': 'https://echo.example/' };
  const request = { ...post(client, '/proxy', { value: value.expression }), headers };
  const good = client.areCallsFaulty ? [200, 400, 500, 502] : [200, 400];
  const answer = await client.send('proxy', good, request);
  // Without this header the failure is the service's own.
  if (
    answer?.status === 500 &&
    answer.headers['svc-proxy-destination-status'] === undefined &&
    !client.mayDie
  )
    client.problem('answers', `proxy gave 500 ${JSON.stringify(answer.body)}`);
  if (answer?.status === 200) sees(client, 'proxy', value.token, answer.body.value);
  if (answer?.status === 400 && presence(client, value.token) === 'yes')
    client.problem('lost', `proxy: ${value.token.mark} is unknown, and is there`);
};

/** Repeats an invocation under its key until there is an answer: its code runs once. */
async function invoke(
  client: Client,
  label: string,
  { closedPath, ...more }: Readonly<Record<string, unknown>> & { readonly closedPath?: string },
  good: number,
): Promise<void> {
  const { draws, world, shared, target } = client;
  const value = aValue(client);
  if (!value) return;
  const name = `job-${draws.uuid()}`;
  const job: KnownJob = {
    name,
    token: value.token,
    isSure: !client.areCallsFaulty,
    isUnsent: 'async' in more,
    ...(closedPath !== undefined && { closedPath }),
  };
  const body = { args: { job: name, value: value.expression }, ...more };
  const request = post(client, `/reactors/${target.reactorId}/react`, body, name);
  shared.jobs.set(name, job);
  for (let tries = 0; tries < 4; tries += 1) {
    // 400: a token is gone. 409: the code ran, and its answer is unknown. 500: it was interrupted.
    const statuses = client.areCallsFaulty ? [good, 400, 409, 500] : [good, 400];
    const answer = await client.send(label, statuses, request);
    if (answer?.status === good) {
      if (good === 200) sees(client, label, value.token, answer.body.raw?.value);
      else shared.jobs.set(name, { ...job, id: answer.body.id as string });
      return;
    }
    if (answer?.status === 400) {
      if (presence(client, value.token) === 'yes')
        client.problem('lost', `${label}: ${value.token.mark} is unknown, and is there`);
      return;
    }
    await world.pause(draws.pick([10, 1_000, 33_000]));
  }
}

export const react: Step = (client) => invoke(client, 'invoke', {}, 200);

/** Some invocations have no address: their caller reads the result. */
export const reactLater: Step = (client) => {
  const closedPath = `/${client.draws.uuid()}`;
  const closed = { callback_url: `https://${CLOSED}${closedPath}`, closedPath };
  const to = client.draws.pick([{ callback_url: 'https://hooks.example/hook' }, { async: true }, closed]);
  return invoke(client, 'invoke later', { ...to, timeout_ms: 10_000 }, 202);
};

/** Reads the result of an invocation, which may not have run yet. */
export const readResult: Step = async (client) => {
  const { target, shared, draws } = client;
  const accepted = [...shared.jobs.values()].filter(({ id }) => id !== undefined);
  if (accepted.length === 0) return;
  const { id, token, name } = draws.pick(accepted);
  const path = `/reactors/${target.reactorId}/results/${String(id)}`;
  const answer = await client.send('read result', [200], { method: 'GET', path, key: target.privateKey });
  const raw = answer?.body.result?.raw as { readonly job: string } | undefined;
  if (raw !== undefined && raw.job !== name)
    client.problem('model', `the result of ${name} (${token.mark}) is ${JSON.stringify(raw)}`);
};

/**
 * A delivery is parked when its receiver wants no more, and sent again once, however often it is
 * asked for. What is not sent again here is at the end of the run.
 */
export const resend: Step = async (client) => {
  const { target, shared, draws, internet } = client;
  const deliveries = `/reactors/${target.reactorId}/deliveries`;
  const listed = await client.send(
    'list deliveries',
    [200],
    management(client, 'GET', `${deliveries}?size=100`),
  );
  const parked = ((listed?.body.data ?? []) as readonly Body[]).flatMap(({ invocation_id: id }) =>
    [...shared.jobs.values()].filter((job) => job.id === id && job.isResent !== true),
  );
  const unsent = [...shared.jobs.values()].filter(({ id, isUnsent }) => id !== undefined && isUnsent);
  if (unsent.length > 0) {
    const path = `${deliveries}/${String(draws.pick(unsent).id)}/resend`;
    await client.send('resend what is not parked', [404], management(client, 'POST', path));
  }
  if (parked.length === 0) return;
  const job = draws.pick(parked);
  if (job.closedPath !== undefined) internet.open(job.closedPath);
  const path = `${deliveries}/${String(job.id)}/resend`;
  const attempt = () => client.send('resend', [204, 404, 409], management(client, 'POST', path));
  const answers = await Promise.all(draws.chance(0.5) ? [attempt(), attempt()] : [attempt()]);
  const sent = answers.filter((answer) => answer?.status === 204);
  if (sent.length > 1) client.problem('once', `the delivery of ${job.name} was sent again twice`);
  if (sent.length > 0) job.isResent = true;
};
