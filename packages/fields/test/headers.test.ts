import { fieldsHeaders } from '../headers.ts';

const config = {
  apiUrl: 'https://tokens.example.com',
  headerPrefix: 'SVC',
  origins: ['https://a.example.com', 'https://b.example.com=0195b0a0-0000-7000-8000-000000000001'],
  digits: false,
};

describe('the headers of the card fields', () => {
  it('allow a frame its own files and the API, and show it in the listed pages alone', () => {
    expect(fieldsHeaders(config)).toEqual({
      'Content-Security-Policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src https://tokens.example.com; base-uri 'none'; form-action 'none'; frame-ancestors https://a.example.com https://b.example.com; require-trusted-types-for 'script'; trusted-types 'none'",
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Access-Control-Allow-Origin': '*',
      'Origin-Agent-Cluster': '?1',
      'Permissions-Policy':
        'camera=(), clipboard-read=(), clipboard-write=(), display-capture=(), geolocation=(), microphone=(), payment=(), publickey-credentials-get=(), usb=()',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
  });

  it('show a frame in no page without a listed one', () => {
    expect(fieldsHeaders({ ...config, origins: [] })['Content-Security-Policy']).toContain(
      "frame-ancestors 'none'",
    );
  });
});
