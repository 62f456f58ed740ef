import type { Effect } from '../../../src/core/audit/effect.ts';
import { TOKEN_STORE_EFFECTS } from '../../../src/core/tokens/token-store.ts';
import { aStoredToken } from '../../support/builders/a-stored-token.ts';

describe('an update of a token', () => {
  const previous = aStoredToken({ containers: ['/a/'] });
  const update = TOKEN_STORE_EFFECTS.update as (...args: unknown[]) => Effect;

  it('names its old and new containers', () => {
    const token = aStoredToken({ containers: ['/b/'], writeId: Buffer.alloc(12, 7) });
    expect(update(previous, { token })).toEqual({
      tokens: [{ id: token.id, containers: ['/a/', '/b/'] }],
      form: 'update',
    });
  });

  it('that marks the token as shared is recorded as `identity`', () => {
    expect(update(previous, { token: { ...previous, isShared: true } }).form).toBe('identity');
  });
});
