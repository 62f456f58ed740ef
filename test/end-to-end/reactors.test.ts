// Tests what only the service has: test/interface/reactors.test.ts runs over the testing package
// too.
import { aRevealingApplication, management } from '../support/service.ts';

it('a reactor runs on Node.js 16 with an empty environment, and knows nothing of AWS', async () => {
  const invoker = await aRevealingApplication();
  const { body: reactor } = await management.post('/reactors', {
    name: 'x',
    code: 'module.exports = () => ({ raw: { version: process.version, env: { ...process.env } } });',
    configuration: {},
  });
  const { body } = await invoker.post(`/reactors/${reactor.id as string}/react`);
  expect(body.raw).toEqual({ version: 'v16.20.2', env: {} });
});
