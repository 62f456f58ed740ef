import { callProxy } from '../../src/core/stored-proxies/call-proxy.ts';
import { contentOfText } from '../../src/core/shared/content.ts';
import { APPLICATION, aProxy, aProxyWorld, CALL, callerWith } from './a-proxy-world.ts';

/*
 * docs/security.md#invariants-between-callers: a guess at a secret is reported to the operator
 * alone.
 */

const SECRET = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
const OLD = 'sk_live_an_older_one_of_it_0123456789';
const caller = callerWith({ permissions: ['token:use'], rules: [] });

async function aGuessedWorld() {
  const world = await aProxyWorld();
  const time = { now: 1_800_000_000_000 };
  const deps = { ...world.deps, clock: () => time.now };
  const proxy = await aProxy(
    world,
    {},
    { KEY: { value: SECRET, isPublic: false }, REGION: { value: 'eu-central-1-is-public', isPublic: true } },
    [
      {
        origin: 'https://destination.example.com',
        author: APPLICATION,
        until: time.now + 1_000_000_000,
        values: { OLD },
      },
    ],
  );
  const call = (more: object) => callProxy(deps, caller, proxy, { ...CALL, ...more });
  return { ...world, time, call };
}

it.each<[string, object]>([
  ['the body', { body: contentOfText(`{"a":"${SECRET}"}`) }],
  ['base64 in the body', { body: contentOfText(Buffer.from(`user:${SECRET}`).toString('base64')) }],
  ['the path', { suffix: `/a/${SECRET}` }],
  ['the query', { query: `a=${encodeURIComponent(SECRET)}` }],
  ['a header', { headers: { 'x-key': `Bearer ${SECRET}` } }],
])('a call that has a secret in %s is served as ever, and reported', async (_, more) => {
  const { call, guessed, sent } = await aGuessedWorld();
  await expect(call(more)).resolves.toMatchObject({ status: 200 });
  expect(guessed).toEqual(['KEY']);
  expect(sent).toHaveLength(1);
});

it('a call that is not sent is not reported, so that its time shows no guess', async () => {
  const { call, guessed, sent } = await aGuessedWorld();
  const headers = { 'if-match': 'x', 'content-type': 'application/json' };
  await expect(call({ headers, body: contentOfText(SECRET) })).rejects.toMatchObject({
    code: 'validation_failed',
  });
  expect([sent, guessed]).toEqual([[], []]);
});

it('a call without a secret is not reported, whatever public values it has', async () => {
  const { call, guessed } = await aGuessedWorld();
  await call({ body: contentOfText(`eu-central-1-is-public ${SECRET.slice(1)}`) });
  expect(guessed).toEqual([]);
});

it('a name of a proxy is reported once an hour, and a secret of before under its own name', async () => {
  const { call, guessed, time } = await aGuessedWorld();
  for (let times = 0; times < 3; times += 1) await call({ body: contentOfText(SECRET) });
  await call({ body: contentOfText(`${SECRET} ${OLD}`) });
  expect(guessed).toEqual(['KEY', 'OLD']);
  time.now += 60 * 60 * 1000;
  await call({ body: contentOfText(SECRET) });
  expect(guessed).toEqual(['KEY', 'OLD', 'KEY']);
});

it('an encoded body, in which no secret could be found, is refused by a proxy with secrets', async () => {
  const { call, sent } = await aGuessedWorld();
  await expect(call({ headers: { 'content-encoding': 'gzip' } })).rejects.toMatchObject({
    code: 'unsupported_media_type',
  });
  await expect(call({ headers: { Content_Encoding: 'gzip' } })).rejects.toMatchObject({
    code: 'unsupported_media_type',
  });
  expect(sent).toEqual([]);
  await expect(call({ headers: { 'content-encoding': 'identity' } })).resolves.toMatchObject({ status: 200 });
});
