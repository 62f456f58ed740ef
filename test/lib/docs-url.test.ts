import { parseSettings } from '../../lib/settings.ts';

describe('the setting docsUrl', () => {
  it.each([
    ['', ''],
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
    '/docs',
    'https://docs.example.com/docs\n/x',
    'https://docs.example.com/docs/..',
    'https://..',
    'https://_',
    'https://docs.example.com:99999',
    `https://docs.example.com/${'a'.repeat(200)}`,
  ])('rejects %j', (docsUrl) => {
    expect(() => parseSettings({ docsUrl })).toThrow(/docsUrl/);
  });

  const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/x';
  it.each(['https://vault.example.com', 'https://VAULT.example.com:8443/docs'])(
    'rejects the host of the service itself: %s',
    (docsUrl) => {
      const settings = { docsUrl, domainName: 'Vault.example.com', certificateArn };
      expect(() => parseSettings(settings)).toThrow('docsUrl must be another host than domainName');
      expect(parseSettings({ ...settings, domainName: 'api.example.com' }).docsUrl).toBe(docsUrl);
    },
  );
});
