import { format, inspect } from 'node:util';
import { Secret } from '../../../src/core/shared/secret.ts';

describe('a secret', () => {
  const secret = new Secret('4242424242424242');

  it('never prints, interpolates, serializes, inspects or enumerates its value', () => {
    const views = [
      String(secret),
      ''.concat(secret as unknown as string),
      JSON.stringify({ secret }),
      inspect(secret, { showHidden: true, depth: 9 }),
      format('%s %o %j', secret, secret, secret),
      JSON.stringify(Object.entries(secret)),
      inspect(new Error('with', { cause: secret })),
      JSON.stringify(Object.assign({}, secret)),
    ];
    for (const view of views) expect(view).not.toContain('4242');
  });

  it('is only opened by reveal', () => {
    expect(secret.reveal()).toBe('4242424242424242');
  });
});
