import { tokenIdOf } from '../../../bin/import/token-id-of.ts';
import { tokenIdOf as tokenIdOfSdk } from '../../../packages/sdk/src/index.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

describe('tokenIdOf', () => {
  it('returns the id that the SDK returns, for any source and old id', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        async (source, id) => {
          expect(tokenIdOf(source, id)).toBe(await tokenIdOfSdk(source, id));
        },
      ),
      { numRuns: cases(50) },
    );
  });
});
