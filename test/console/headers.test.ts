import { consoleHeaders } from '../../console/headers.ts';

describe('the headers of the console', () => {
  const { 'Content-Security-Policy': policy = '', ...others } = consoleHeaders('https://tokens.example.com');

  it('allow its own scripts and the API alone', () => {
    expect(policy.split('; ')).toEqual([
      `default-src 'none'`,
      `script-src 'self'`,
      `style-src 'self'`,
      `img-src 'self' data:`,
      `connect-src 'self' https://tokens.example.com`,
      `base-uri 'none'`,
      `form-action 'none'`,
      `frame-ancestors 'none'`,
      `require-trusted-types-for 'script'`,
      `trusted-types 'none'`,
    ]);
  });

  it('keep the page out of frames and out of the reach of other windows', () => {
    expect(others).toMatchObject({
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
    });
  });
});
