import { isAtOrBelow, wayOf } from '../../../src/core/access/callback-address.ts';
import { callbackProblem, parseCallback } from '../../../src/core/access/parse-callback.ts';

const HOOKS = 'https://shop.example/hooks';

describe('an address of callbacks', () => {
  it.each([
    ['https://Shop.Example', 'https://shop.example/'],
    ['https://shop.example:443/hooks', HOOKS],
    ['http://localhost:8443/hooks/', 'http://localhost:8443/hooks/'],
    ['https://shop.example/a/../hooks', HOOKS],
  ])('has one spelling: %s', (text, address) => {
    expect(parseCallback(text)).toEqual({ address });
  });

  it.each([
    ...[`${HOOKS}?a=1`, `${HOOKS}?`, `${HOOKS}#a`, `${HOOKS}/a%2Fb`, `${HOOKS}/a;b`, `${HOOKS}//a`],
    ...['ftp://shop.example/', 'shop.example', 'https://u:p@shop.example/', 'https://{{ id }}.example/', ''],
    ...[`${HOOKS}/${'a'.repeat(400)}`, 'https:\\\\shop.example\\hooks', 'https://shop.example/ hooks'],
  ])('is refused in another form: %s', (text) => {
    expect(parseCallback(text)).toHaveProperty('problem');
  });

  it('is one to which the deployment sends', () => {
    expect(callbackProblem(HOOKS, [])).toBeUndefined();
    for (const address of ['http://localhost:8443/', 'https://127.0.0.1/', 'https://shop.example:8443/']) {
      expect(callbackProblem(address, [])).toBeDefined();
      expect(callbackProblem(address, [new URL(address).origin])).toBeUndefined();
    }
  });
});

/** Whether a rule with this address permits a `callback_url`. */
const permits = (address: string, callbackUrl: string) =>
  isAtOrBelow(address, wayOf('reactor', callbackUrl).callback ?? '');

describe('a callback_url', () => {
  it.each([
    [HOOKS, HOOKS],
    [HOOKS, `${HOOKS}/`],
    [HOOKS, `${HOOKS}/7`],
    [HOOKS, `${HOOKS}/7/done.json?order=9&to=//elsewhere#x`],
    [HOOKS, 'HTTPS://SHOP.example:443/x/../hooks/7'],
    [`${HOOKS}/`, `${HOOKS}/7`],
    ['https://shop.example/', HOOKS],
  ])('is permitted at %s: %s', (address, url) => {
    expect(permits(address, url)).toBe(true);
  });

  it.each([
    [HOOKS, 'https://shop.example/'],
    [HOOKS, 'https://shop.example/hooksmith'],
    [HOOKS, 'https://shop.example/Hooks'],
    [HOOKS, 'https://shop.example:8443/hooks'],
    [HOOKS, 'http://shop.example/hooks'],
    [HOOKS, 'https://shop.example@elsewhere.example/hooks'],
    [HOOKS, 'https://shop.example.elsewhere.example/hooks'],
    [HOOKS, `${HOOKS}/../admin`],
    [HOOKS, `${HOOKS}/%2e%2e/admin`],
    [HOOKS, `${HOOKS}/..%2fadmin`],
    [HOOKS, `${HOOKS}/%252e%252e%252fadmin`],
    [HOOKS, `${HOOKS}/..;/admin`],
    [HOOKS, `${HOOKS}/..\\admin`],
    [HOOKS, `${HOOKS}//elsewhere.example`],
    [HOOKS, `${HOOKS}/.git`],
    [HOOKS, 'no URL'],
    [HOOKS, ''],
    [`${HOOKS}/`, HOOKS],
  ])('is not permitted at %s: %s', (address, url) => {
    expect(permits(address, url)).toBe(false);
  });
});
