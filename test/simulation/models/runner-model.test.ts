import { runtimeContract } from '../../contracts/runtime-contract.ts';
import { createRunnerModel } from './runner-model.ts';

runtimeContract('of the simulation', async (test) => {
  const codeHash = 'c'.repeat(64);
  const model = createRunnerModel({
    find: () => ({ live: '1', versions: new Map([['1', codeHash]]), latest: 1 }),
    pause: () => Promise.resolve(),
    runMs: ({ waitMs }) => Number(waitMs),
    onRun: () => undefined,
  });
  await test({
    codeHash,
    invoke: async (payload) => {
      const { body } = await model.handle({
        service: 'lambda',
        method: 'POST',
        path: '/2015-03-31/functions/f/invocations',
        headers: {},
        query: new URLSearchParams(),
        target: undefined,
        principal: { kind: 'administrator' },
        body: Buffer.from(JSON.stringify(payload)),
      });
      return JSON.parse(body.toString()) as unknown;
    },
  });
});
