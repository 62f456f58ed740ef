// Tests what only the service has: test/interface/reactors.test.ts runs over the testing package
// too.
import { aRevealingApplication, management } from '../support/service.ts';

const VERSIONS = { node16: 'v16.20.2', node24: 'v24.22.3' } as const;

it('a reactor knows nothing of AWS on either image, and moves between them without a failed call', async () => {
  const invoker = await aRevealingApplication();
  const { body: reactor } = await management.post('/reactors', {
    name: 'x',
    code: 'module.exports = () => ({ raw: { version: process.version, env: { ...process.env } } });',
    configuration: {},
  });
  const path = `/reactors/${reactor.id as string}`;
  const react = () => invoker.post(`${path}/react`);
  expect((await react()).body.raw).toEqual({ version: VERSIONS.node16, env: {} });
  for (const image of ['node24', 'node16'] as const) {
    const state = { isMoving: true };
    const moved = management.patch(path, { runtime: { image } }).finally(() => (state.isMoving = false));
    const answers = [];
    while (state.isMoving) answers.push(await react());
    expect((await moved).status).toBe(204);
    answers.push(await react());
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(answers.at(-1)?.body.raw).toEqual({ version: VERSIONS[image], env: {} });
    expect((await management.get(path)).body.runtime).toMatchObject({ image, outdated: false });
  }
});
