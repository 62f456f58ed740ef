import { callProxy } from '../../src/core/stored-proxies/call-proxy.ts';
import { contentOfText } from '../../src/core/shared/content.ts';
import { aProxy, aProxyWorld, CALL, callerWith } from './a-proxy-world.ts';

/*
 * docs/security.md#invariants-between-callers: what the writer of a proxy has stored costs a call
 * once, however many transforms name it.
 */

it('a token that the caller and twenty transforms use is read once, and recorded for both', async () => {
  const world = await aProxyWorld();
  world.state.answer = () => ({});
  const { id = '', text = '' } = world.tokens[0] ?? {};
  const reads = { summaries: 0, data: 0 };
  const { tokenStore } = world.deps;
  const used: unknown[] = [];
  const deps = {
    ...world.deps,
    audit: {
      ...world.deps.audit,
      saw: (...args: Parameters<typeof world.deps.audit.saw>) => {
        used.push(args[0].id);
        world.deps.audit.saw(...args);
      },
    },
    tokenStore: {
      ...tokenStore,
      findSummaries: (...args: Parameters<typeof tokenStore.findSummaries>) => {
        reads.summaries += 1;
        return tokenStore.findSummaries(...args);
      },
      readData: (...args: Parameters<typeof tokenStore.readData>) => {
        reads.data += 1;
        return tokenStore.readData(...args);
      },
    },
  };
  const proxy = await aProxy(world, {
    requestTransforms: Array.from({ length: 20 }, (_, at) => ({
      type: 'append_header' as const,
      name: `x-${String(at)}`,
      value: `{{ ${id} }}`,
    })),
  });
  const caller = callerWith({
    permissions: [],
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:use'] }],
  });
  await callProxy(deps, caller, proxy, { ...CALL, body: contentOfText(`{"a":"{{ ${id} }}"}`) });
  expect(world.sent.join('').split(text)).toHaveLength(22);
  expect(reads).toEqual({ summaries: 1, data: 1 });
  expect(used).toEqual([id, id]);
});
