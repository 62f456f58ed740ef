import { fieldsHeaders, type FieldsConfig } from '../headers.ts';
import { acceptsPage, acceptsTenant, readConfig } from '../src/frame/config.ts';

const ONE = '5f3c0d5e-1111-4222-8333-444455556666';
const OTHER = '5f3c0d5e-1111-4222-8333-777788889999';

const config = (...origins: string[]): FieldsConfig => ({
  apiUrl: 'https://tokens.example.com',
  headerPrefix: 'SVC',
  origins,
  digits: false,
});

describe('the origins of a deployment', () => {
  it('accept a page of exactly such an origin', () => {
    const shop = config('https://shop.example.com');
    expect(acceptsPage(shop, 'https://shop.example.com')).toBe(true);
    for (const origin of [
      'http://shop.example.com',
      'https://shop.example.com:8443',
      'https://shop.example.com.evil.example',
      'https://evil.example?https://shop.example.com',
      'https://sub.shop.example.com',
      'null',
      '',
    ])
      expect([origin, acceptsPage(shop, origin)]).toEqual([origin, false]);
  });

  it('accept every port of a host on this machine', () => {
    const local = config('http://localhost:*');
    expect(acceptsPage(local, 'http://localhost')).toBe(true);
    expect(acceptsPage(local, 'http://localhost:3000')).toBe(true);
    for (const origin of [
      'http://localhost.evil.example',
      'https://localhost:3000',
      'http://localhostx:3000',
    ])
      expect([origin, acceptsPage(local, origin)]).toEqual([origin, false]);
  });

  it('accept no page where there are none', () => {
    expect(acceptsPage(config(), 'https://shop.example.com')).toBe(false);
    expect(fieldsHeaders(config())['Content-Security-Policy']).toContain("frame-ancestors 'none'");
  });

  it('bind a page to the tenants that they name', () => {
    const bound = config(`https://shop.example.com=${ONE}`, 'https://any.example.com');
    expect(acceptsPage(bound, 'https://shop.example.com')).toBe(true);
    expect(acceptsTenant(bound, 'https://shop.example.com', ONE)).toBe(true);
    expect(acceptsTenant(bound, 'https://shop.example.com', OTHER)).toBe(false);
    expect(acceptsTenant(bound, 'https://any.example.com', OTHER)).toBe(true);
    expect(acceptsTenant(bound, 'https://evil.example', ONE)).toBe(false);
    const both = config(`https://shop.example.com=${ONE}`, `https://shop.example.com=${OTHER}`);
    expect([ONE, OTHER].map((id) => acceptsTenant(both, 'https://shop.example.com', id))).toEqual([
      true,
      true,
    ]);
  });

  it('are in the policy of the frames once each, without their tenants', () => {
    const policy = fieldsHeaders(
      config(`https://shop.example.com=${ONE}`, `https://shop.example.com=${OTHER}`),
    )['Content-Security-Policy'];
    expect(policy).toContain('frame-ancestors https://shop.example.com; ');
    expect(policy).not.toContain(ONE);
  });
});

it('a frame reads its configuration from its own page', () => {
  const written = config('https://shop.example.com');
  const page = {
    getElementById: (id: string) => ({ textContent: id === 'config' ? JSON.stringify(written) : '' }),
  };
  expect(readConfig(page)).toEqual(written);
  expect(() => readConfig({ getElementById: () => null })).toThrow(SyntaxError);
});
