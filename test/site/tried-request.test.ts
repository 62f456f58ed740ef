import { fc } from '../../packages/test-kit/src/properties.ts';
import { IncompleteForm, requestOf, type TriedOperation } from '../../site/src/tried-request.ts';

const parameter = { required: false, description: '', example: '', choices: [] };
const OPERATION: TriedOperation = {
  operationId: 'updateToken',
  errorCodes: [],
  api: '/',
  method: 'PATCH',
  path: '/tokens/{id}',
  parameters: [
    { ...parameter, place: 'path', name: 'id', required: true },
    { ...parameter, place: 'query', name: 'size' },
    { ...parameter, place: 'header', name: 'SVC-TRANSFORM' },
  ],
  mediaType: 'application/merge-patch+json',
  bodies: [],
};
const FILLED = { address: 'https://vault.example.com', key: 'k', values: ['a', '', ''], body: '{}' };

describe('the request of a form', () => {
  it('has the address, the key, the parameters and the body of the form', async () => {
    const values = ['a b/c', '20', 'mask'];
    const request = requestOf(OPERATION, { ...FILLED, address: 'https://vault.example.com/v1/', values });
    expect([request.method, request.url]).toEqual([
      'PATCH',
      'https://vault.example.com/v1/tokens/a%20b%2Fc?size=20',
    ]);
    expect(Object.fromEntries(request.headers)).toEqual({
      'content-type': 'application/merge-patch+json',
      'svc-api-key': 'k',
      'svc-transform': 'mask',
    });
    expect(await request.text()).toBe('{}');
    expect([request.credentials, request.redirect, request.referrerPolicy]).toEqual([
      'omit',
      'error',
      'no-referrer',
    ]);
  });

  it.each([
    ['http://vault.example.com', 'must be https'],
    ['http://localhost.example.com', 'must be https'],
    ['ftp://localhost', 'must be https'],
    ['javascript:alert(1)', 'must be https'],
    ['', 'must be https'],
    ['vault.example.com', 'must be https'],
    ['https://user:secret@vault.example.com', 'no user, query or fragment'],
    ['https://vault.example.com/?a=', 'no user, query or fragment'],
    ['https://vault.example.com/#a', 'no user, query or fragment'],
  ])('is refused for the address %j', (address, words) => {
    expect(() => requestOf(OPERATION, { ...FILLED, address })).toThrow(words);
  });

  it.each(['key\nx', 'ключ'])('is refused with the key %j, which no header can have', (key) => {
    expect(() => requestOf(OPERATION, { ...FILLED, key })).toThrow('SVC-API-KEY has a character');
  });

  it('is refused without a required value', () => {
    expect(() => requestOf(OPERATION, { ...FILLED, values: [] })).toThrow('id is missing.');
  });

  it('goes to the origin of the form and the path of the operation, whatever the value', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('..', '.', '%2e%2e', '../x', '?a', '#a', '\\')),
        (id) => {
          let url: URL;
          try {
            url = new URL(requestOf(OPERATION, { ...FILLED, values: [id] }).url);
          } catch (error) {
            // Lone surrogates and segments of dots are refused.
            expect(error).toBeInstanceOf(IncompleteForm);
            return;
          }
          expect(url.origin).toBe('https://vault.example.com');
          expect([url.search, url.hash]).toEqual(['', '']);
          expect(url.pathname.split('/')).toHaveLength(3);
          expect(url.pathname.startsWith('/tokens/')).toBe(true);
        },
      ),
    );
  });

  it('has the segments of a path that a caller appends', () => {
    const suffix = { ...parameter, place: 'path' as const, name: 'suffix', required: true };
    const operation = { ...OPERATION, method: 'POST', path: '/proxy/{suffix}', parameters: [suffix] };
    expect(requestOf(operation, { ...FILLED, values: ['v1/a b'] }).url).toBe(
      'https://vault.example.com/proxy/v1/a%20b',
    );
    expect(() => requestOf(operation, { ...FILLED, values: ['v1/../x'] })).toThrow('as a segment');
  });
});
