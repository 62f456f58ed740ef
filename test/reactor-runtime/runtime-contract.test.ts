import { runtimeContract } from '../contracts/runtime-contract.ts';
import { withReactor } from './a-reactor.ts';

const CODE = `module.exports = async (req) => {
  await new Promise((resolve) => setTimeout(resolve, req.args.waitMs));
  return { raw: req.args };
};`;

runtimeContract('as it ships', (test) =>
  withReactor(CODE, (reactor) =>
    test({
      codeHash: reactor.codeSha256,
      invoke: async (payload) => (await reactor.send(JSON.stringify(payload))).response,
    }),
  ),
);
