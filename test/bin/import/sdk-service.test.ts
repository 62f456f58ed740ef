import { sdkService } from '../../../bin/import/sdk-service.ts';
import { CallFailed } from '../../../bin/import/service.ts';
import { createClient, type Client } from '../../../packages/sdk/src/index.ts';

const BODIES = [{ id: 'a', type: 'token', data: 1 }];

type Answer = readonly [status: number, body: unknown] | 'lost';

function serviceWith(...answers: readonly Answer[]) {
  const headers: Readonly<Record<string, string>>[] = [];
  const pauses: number[] = [];
  const left = [...answers];
  const client: Client = createClient({
    baseUrl: 'https://vault.example',
    apiKey: 'key',
    fetch: (_, request) => {
      headers.push(request.headers);
      const answer = left.shift() ?? 'lost';
      if (answer === 'lost') return Promise.reject(new TypeError('lost'));
      return Promise.resolve(Response.json(answer[1], { status: answer[0] }));
    },
  });
  const pause = (ms: number) => {
    pauses.push(ms);
    return Promise.resolve();
  };
  return { service: sdkService(client, pause), headers, pauses };
}

const TAKEN = {
  title: 'Conflict',
  status: 409,
  code: 'conflict',
  errors: { '[0].id': ['exists or existed'] },
};

it('repeats a request that fails in passing, without an idempotency key', async () => {
  const { service, headers, pauses } = serviceWith('lost', [503, {}], [429, {}], [200, [{ id: 'a' }]]);
  expect(await service.create(BODIES)).toEqual(['a']);
  expect(pauses).toEqual([500, 1000, 2000]);
  for (const each of headers)
    expect(Object.keys(each).map((name) => name.toLowerCase())).not.toContain('svc-idempotency-key');
});

it('says whether an attempt before may have made what is taken', async () => {
  for (const [answers, isRepeated] of [
    [[[409, TAKEN]], false],
    [['lost', [409, TAKEN]], true],
  ] as const) {
    const failure = await serviceWith(...answers)
      .service.create(BODIES)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CallFailed);
    expect(failure).toMatchObject({ status: 409, isRepeated, places: TAKEN.errors });
  }
});

it('gives up after some attempts', async () => {
  const { service, pauses } = serviceWith();
  await expect(service.create(BODIES)).rejects.toMatchObject({ status: 0 });
  expect(pauses).toHaveLength(5);
});
