import { runTransforms } from '../../../src/core/stored-proxies/run-transforms.ts';
import { STORED_PROXY_LIMITS, type Transform } from '../../../src/core/stored-proxies/stored-proxy.ts';
import type { FailedTransformError } from '../../../src/core/stored-proxies/transform-failure.ts';
import { createTransformBudget } from '../../../src/core/stored-proxies/transform-budget.ts';
import { REQUEST_STEPS } from '../../../src/core/expressions/budget.ts';
import { maskMessage } from '../../../src/core/stored-proxies/mask-body.ts';
import { valuesOfBody } from '../../../src/core/stored-proxies/json-body.ts';
import type { Message } from '../../../src/core/stored-proxies/message.ts';

const MOST = STORED_PROXY_LIMITS.transformedBytes;
const STEPS = 60_000_000;
const aBudget = () => createTransformBudget(() => 0);

const aMessage = (body: string): Message => ({
  method: 'POST',
  path: '',
  headers: [],
  ownHeaders: [],
  deferred: [],
  body: Buffer.from(body),
});

describe('the transforms of a call', () => {
  it('read as many bytes together as the limit, however many transforms read them', () => {
    const { read } = aBudget();
    for (let times = 0; times < 20; times += 1) read(MOST / 20);
    expect(() => read(1)).toThrow(`together read at most ${String(MOST)} bytes`);
  });

  it('make as many tokens together as the limit', () => {
    const { tokens } = aBudget();
    for (let times = 0; times < 2; times += 1) tokens(STORED_PROXY_LIMITS.tokens / 2);
    expect(() => tokens(1)).toThrow(`together make at most ${String(STORED_PROXY_LIMITS.tokens)} tokens`);
  });

  it('count elements of JSON that becomes a token or arguments as 50 bytes', () => {
    const elements = 10_000;
    const text = `{"a":[${'0,'.repeat(elements - 1)}0]}`;
    const budget = aBudget();
    budget.read(MOST - 50 * (elements + 1) - text.length);
    // The place itself counts too.
    const found = () => valuesOfBody(aMessage(text), '$.a', budget, () => false);
    expect(found()[0]?.value).toHaveLength(elements);
    expect(found).toThrow('together read at most');
  });
});

/** A transform of each type, and whether it reads the body of a message. */
const OF_EACH_TYPE: {
  readonly [Type in Transform['type']]: readonly [Extract<Transform, { type: Type }>, boolean];
} = {
  append_header: [{ type: 'append_header', name: 'a', value: 'b' }, false],
  append_json: [{ type: 'append_json', location: '$.b', value: 1 }, true],
  remove_header: [{ type: 'remove_header', name: 'a' }, false],
  allow_headers: [{ type: 'allow_headers', names: [] }, false],
  tokenize: [{ type: 'tokenize', location: '$.a', token: { type: 'token' } }, true],
  mask: [{ type: 'mask', matcher: 'card_number', replacement: '#' }, true],
  reactor: [{ type: 'reactor', reactorId: 'r', codeHash: 'h' }, true],
  verify_signature: [{ type: 'verify_signature', scheme: 'github', configuration: 'A' }, false],
};

it.each(Object.values(OF_EACH_TYPE))(
  'a body counts where a transform reads it: %j',
  async (transform, reads) => {
    const body = '{"a":1}';
    const budget = aBudget();
    budget.read(MOST - body.length + 1);
    const side = {
      budget,
      deadline: Infinity,
      response: { status: 200, headers: {} },
      writes: { part: () => undefined },
    };
    const message = { ...aMessage(body), status: 200 };
    const outcome = runTransforms({ clock: () => 0 } as never, [transform], message, side as never).then(
      () => undefined,
      (error: unknown) => (error as FailedTransformError).failure.reason,
    );
    expect(await outcome).toEqual(reads ? expect.stringContaining('together read at most') : undefined);
  },
);

describe('masks', () => {
  const masking = (mask: object, body: string, budget = aBudget()) =>
    maskMessage({ type: 'mask', replacement: '#', ...mask }, { ...aMessage(body), status: 200 }, budget);

  it('count a string of JSON that looks like JSON and is none as 2,120 bytes', async () => {
    const body = JSON.stringify(Array.from({ length: 100 }, () => '{"a": "no JSON"" }'));
    const budget = aBudget();
    budget.read(MOST - 100 * 2_120);
    await masking({ matcher: 'card_number' }, body, budget);
    await expect(masking({ matcher: 'card_number' }, body, budget)).rejects.toThrow('together read at most');
  });

  it('read a string only as JSON if it ends like JSON', async () => {
    const budget = aBudget();
    budget.read(MOST);
    const body = JSON.stringify('[note] "4242424242424242');
    await expect(masking({ matcher: 'card_number' }, body, budget)).resolves.toMatchObject({
      body: Buffer.from(JSON.stringify('[note] "#')),
    });
  });

  it('count a record of JSON as 120 bytes', async () => {
    const budget = aBudget();
    budget.read(MOST - 120 * 100);
    const body = '{"a":"\\u0034"}\n'.repeat(100);
    await masking({ matcher: 'card_number' }, body, budget);
    await expect(masking({ matcher: 'card_number' }, body, budget)).rejects.toThrow('together read at most');
  });

  it('count each of several values at a location as 50 bytes', async () => {
    const budget = aBudget();
    budget.read(MOST - 50 * 100);
    const body = `{${'"a":0,'.repeat(99)}"a":0}`;
    await masking({ location: '$.a' }, body, budget);
    await expect(masking({ location: '$.a' }, body, budget)).rejects.toThrow('together read at most');
  });

  it('count a match of a regular expression as 40 steps', async () => {
    const matches = STEPS / 100;
    const mask = { matcher: 'regex', expression: 'a' };
    await masking(mask, 'a'.repeat(matches));
    await expect(masking(mask, 'a'.repeat(3 * matches))).rejects.toThrow('too many steps');
  });
});

describe('searches of regular expressions', () => {
  it('take so many steps together, in one transform or in several', () => {
    const { search } = aBudget();
    for (let times = 0; times < 20; times += 1) search(STEPS / 20);
    expect(() => search(1)).toThrow('too many steps');
  });

  it('count what they read, also to the end of a text for each match', async () => {
    const searched = (text: string) =>
      maskMessage(
        { type: 'mask', matcher: 'regex', expression: 'a.*b|a', replacement: '#' },
        { ...aMessage(text), status: 200 },
        aBudget(),
      );
    await expect(searched('a'.repeat(100_000))).rejects.toThrow('too many steps');
    await expect(searched(`${'a'.repeat(100_000)}b`)).resolves.toMatchObject({ body: Buffer.from('#') });
  });
});

it('expressions of all transforms share one budget of steps', () => {
  const budget = aBudget();
  budget.expressions.charge(REQUEST_STEPS);
  expect(() => budget.expressions.charge(1)).toThrow('take more than');
});
