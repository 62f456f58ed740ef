import { sendRow, type SendThrough } from '../../../../bin/import/via/send-row.ts';
import { Secret } from '../../../../src/core/shared/secret.ts';

const PLACE = {
  url: 'https://api.other.example/proxy',
  headers: { 'OTHER-KEY': new Secret('other') },
  key: new Secret('key_import'),
  headerPrefix: 'ACME',
};
const BODY = { id: 'the-id', type: 'card', data: { number: '{{ tok_1 }}' } };

type Answer = readonly [status: number, body: unknown] | 'lost';

async function sending(...answers: readonly Answer[]) {
  const requests: Parameters<SendThrough>[] = [];
  const left = [...answers];
  const send: SendThrough = (...request) => {
    requests.push(request);
    const answer = left.shift() ?? 'lost';
    if (answer === 'lost') return Promise.reject(new Error('4242424242424242'));
    const [status, body] = answer;
    return Promise.resolve({ status, text: () => Promise.resolve(JSON.stringify(body)) });
  };
  return { outcome: await sendRow({ send, pause: () => Promise.resolve() }, PLACE, BODY), requests };
}

const problem = (code: string, errors?: object) => ({ code, errors });

it('sends the request with both keys, and asks for an answer without data', async () => {
  const { outcome, requests } = await sending([201, { id: 'the-id' }]);
  expect(outcome).toBe('imported');
  expect(requests).toEqual([
    [
      PLACE.url,
      {
        method: 'POST',
        headers: {
          'OTHER-KEY': 'other',
          'Content-Type': 'application/json',
          'ACME-API-KEY': 'key_import',
          'ACME-TRANSFORM': 'redact',
        },
        body: JSON.stringify(BODY),
      },
    ],
  ]);
});

it.each<[string, readonly Answer[], unknown]>([
  ['another id', [[201, { id: 'other' }]], { ended: expect.stringContaining('deduplicate') }],
  ['a taken id', [[409, problem('conflict')]], 'taken'],
  // Someone else may have made it between both.
  ['a lost answer, and then a taken id', ['lost', [409, problem('conflict')]], 'taken'],
  [
    'an outage that passes',
    [
      [503, {}],
      [429, {}],
      [201, { id: 'the-id' }],
    ],
    'imported',
  ],
  ['an outage that stays', ['lost', 'lost', 'lost', 'lost'], { ended: 'the other vault is unreachable' }],
  [
    'refused data',
    [[400, problem('validation_failed', { 4242424242424242: ['x'], 'data.number': ['4242424242424242'] })]],
    { refused: { member: 'data.number', problem: 'is refused by this service' } },
  ],
  [
    'an alias that the vault does not know',
    [[404, { error: 'no 4242424242424242' }]],
    {
      refused: { problem: 'the other vault answers 404' },
    },
  ],
  [
    'another address',
    [[403, problem('address_not_allowed')]],
    { ended: expect.stringContaining('--via-address') },
  ],
  ['the end of the key', [[401, problem('key_expired')]], { ended: expect.stringContaining('has ended') }],
  ['a wrong key of the vault', [[401, 'no']], { ended: expect.stringContaining('its own key') }],
])('%s', async (_, answers, expected) => {
  const { outcome } = await sending(...answers);
  expect(outcome).toEqual(expected);
  expect(JSON.stringify(outcome)).not.toContain('4242');
});
