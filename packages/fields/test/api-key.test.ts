import { fc } from '../../test-kit/src/properties.ts';
import { generateApiKey, readApiKey } from '../../../src/core/crypto/api-key.ts';
import type { Random } from '../../../src/core/shared/platform.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { tenantOfPageKey } from '../src/frame/api-key.ts';

/** Keys of the service, with their tenants. The random part may begin with zeros, as the id may. */
const keys = (type: string) =>
  fc.record({ tenantId: fc.uuid(), bytes: fc.uint8Array({ minLength: 32, maxLength: 32 }) }).map((drawn) => {
    const random = { bytes: () => Buffer.from(drawn.bytes) } as unknown as Random;
    return { tenantId: drawn.tenantId, key: generateApiKey(random, type, drawn.tenantId).reveal() };
  });

describe('the key that a page uses', () => {
  it.each(['public', 'session'])('names the tenant of a key of the type %s', (type) => {
    fc.assert(
      fc.property(keys(type), ({ tenantId, key }) => {
        expect(tenantOfPageKey(key)).toBe(tenantId);
      }),
    );
  });

  it('names the tenant also where its id begins with zeros', () => {
    const tenantId = '00000000-0000-4000-8000-000000000000';
    const random = { bytes: (count: number) => Buffer.alloc(count) } as unknown as Random;
    expect(tenantOfPageKey(generateApiKey(random, 'public', tenantId).reveal())).toBe(tenantId);
  });

  it.each(['private', 'management', 'invocation', 'proxy', 'constructor'])(
    'names none for a key of the type %s',
    (type) => {
      fc.assert(
        fc.property(keys(type), ({ key }) => {
          expect(tenantOfPageKey(key)).toBeUndefined();
        }),
      );
    },
  );

  it('is a key to a frame exactly where it is one to the service', () => {
    const contents = fc.string({
      unit: fc.constantFrom(...Array.from('123456789ABCZabcxyz0OIl')),
      maxLength: 90,
    });
    fc.assert(
      fc.property(contents, (content) => {
        const key = `key_public_${content}`;
        const claim = readApiKey(new Secret(key));
        expect(tenantOfPageKey(key)).toBe(claim?.tenantId);
      }),
    );
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('23ABCZabcxyz')), minLength: 62, maxLength: 66 }),
        (content) => {
          const claim = readApiKey(new Secret(`key_session_${content}`));
          expect(tenantOfPageKey(`key_session_${content}`)).toBe(claim?.tenantId);
        },
      ),
    );
  });
});
