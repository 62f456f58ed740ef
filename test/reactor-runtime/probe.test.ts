import { layer, withReactor } from './a-reactor.ts';

/** A probe of code, and what an invocation afterwards returns. */
async function probed(code: string, changes: Record<string, unknown> = {}) {
  return withReactor(code, async (reactor) => {
    const event = { version: 1, code_sha256: reactor.codeSha256, probe: true, ...changes };
    const { response: probe } = await reactor.send(JSON.stringify(event));
    return { probe, next: (await reactor.invoke()).response, started: reactor.started() };
  });
}

describe('a probe', () => {
  beforeAll(() => void layer());

  it('says that code loaded, and starts no handler', async () => {
    const code = `let ran = 0; module.exports = () => (ran += 1);`;
    expect(await probed(code)).toEqual({
      probe: { outcome: 'loaded' },
      next: { outcome: 'returned', value: 1 },
      started: 1,
    });
  });

  it.each([
    ['requires a missing package', `require('left-pad')`, { reason: 'module', module: 'left-pad' }],
    ['throws', `throw new RangeError('no')`, { reason: 'threw', error: { class: 'RangeError' } }],
  ])('says why code that %s does not load', async (_, code, failure) => {
    expect((await probed(code)).probe).toMatchObject({ outcome: 'not_loaded', ...failure });
  });

  it('says so of other code than the expected one', async () => {
    expect((await probed('module.exports = () => 1', { code_sha256: '0' })).probe).toEqual({
      outcome: 'stale',
    });
  });

  it('is no probe by any other value', async () => {
    const { response, failure } = await withReactor('module.exports = () => 1', (reactor) =>
      reactor.send(JSON.stringify({ version: 1, code_sha256: reactor.codeSha256, probe: 'true' })),
    );
    expect(response).toBeUndefined();
    expect(failure).toMatchObject({ errorType: 'Reactor.InvalidEvent' });
  });
});
