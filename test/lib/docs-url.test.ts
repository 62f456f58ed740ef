import { parseSettings } from '../../lib/settings.ts';

describe('the setting docsUrl', () => {
  it.each([
    ['', ''],
    ['/docs', '/docs'],
    ['/docs/', '/docs'],
    ['https://docs.example.com', 'https://docs.example.com'],
    ['https://docs.example.com:8443/vault/', 'https://docs.example.com:8443/vault'],
  ])('accepts %j as %j', (docsUrl, expected) => {
    expect(parseSettings({ docsUrl }).docsUrl).toBe(expected);
  });

  it.each([
    'http://docs.example.com',
    '//docs.example.com',
    'docs.example.com',
    'javascript:alert(1)',
    'https://user:secret@docs.example.com',
    'https://docs.example.com/?a=b',
    'https://docs.example.com/#a',
    'https://docs.example.com/a b',
    'https://docs.example.com/"><b>',
    '/docs\n/x',
    '/docs/..',
    'https://..',
    'https://_',
    'https://docs.example.com:99999',
    `https://docs.example.com/${'a'.repeat(200)}`,
  ])('rejects %j', (docsUrl) => {
    expect(() => parseSettings({ docsUrl })).toThrow(/docsUrl/);
  });
});
