// Tests what a token leaves in the tables: test/interface/tokens.test.ts has the rest.
import { IS_THOROUGH } from '../../packages/test-kit/src/thoroughness.ts';
import { allItems, bytesOf, isOfTrail } from '../support/aws.ts';
import { aRevealingApplication, credentials } from '../support/service.ts';

it('a token leaves only its id after concurrent creates, updates and deletes of one id', async () => {
  const app = await aRevealingApplication();
  const mark = `race-${String(Date.now())}`;
  const path = `/tokens/${mark}`;
  const token = { type: 'token', data: {}, id: mark, metadata: { mark }, deduplicate_token: true };
  const racers = [
    (at: number) => app.post('/tokens', { ...token, data: { at } }),
    (at: number) =>
      app.patch(path, { data: { [`m${String(at)}`]: 1 }, metadata: { [`k${String(at)}`]: 'v' } }),
    () => app.delete(path),
  ];
  const rounds = Array.from({ length: IS_THOROUGH ? 15 : 5 }, (_, at) => racers.map((race) => race(at)));
  const responses = await Promise.all(rounds.flat());
  for (const { status } of responses) expect([200, 201, 204, 404, 409]).toContain(status);
  await app.delete(path);
  const left = (await allItems(credentials))
    .map(bytesOf)
    .filter((item) => item.includes(mark) && !isOfTrail(item));
  expect(left).toHaveLength(1);
  expect(left[0]).toContain('isGone=');
  expect(left[0]).not.toContain('encryptedData=');
});
