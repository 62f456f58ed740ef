import { altersUses } from '../../../src/core/stored-proxies/secret-uses.ts';
import type { ProxyConfiguration, ProxyDefinition } from '../../../src/core/stored-proxies/stored-proxy.ts';

type Used = Pick<ProxyDefinition, 'destinationUrl' | 'clientCertificate' | 'requestTransforms'>;

const header = (name: string, value: string) => ({ type: 'append_header' as const, name, value });
const SECRET = header('Authorization', 'Bearer {{ configuration.K }}');
const OTHER = header('X-Region', '{{ configuration.REGION }}');
const BEFORE: Used = {
  destinationUrl: 'https://destination.example.com/v1',
  requestTransforms: [SECRET, OTHER, header('X-Both', '{{ configuration.K }}{{ configuration.REGION }}')],
};
const VALUES: ProxyConfiguration = {
  K: { value: 'sk_live_4eC39HqLyjWDarjt', isPublic: false },
  L: { value: 'a second secret of it', isPublic: false },
  REGION: { value: 'eu', isPublic: true },
};

const alters = (change: Partial<Used>, after: ProxyConfiguration = VALUES): boolean =>
  altersUses(BEFORE, VALUES, { ...BEFORE, ...change }, after);

describe('a change of where and how secrets are used', () => {
  const [first, second, both] = BEFORE.requestTransforms as [typeof SECRET, typeof OTHER, typeof SECRET];

  it.each<[string, Partial<Used>]>([
    ['the path of the destination', { destinationUrl: 'https://destination.example.com/v2' }],
    ['a certificate', { clientCertificate: 'K' }],
    [
      'a check of signatures',
      {
        requestTransforms: [
          { type: 'verify_signature', scheme: 'stripe', configuration: 'K' },
          ...BEFORE.requestTransforms,
        ],
      },
    ],
    [
      'the name of a header with a secret',
      { requestTransforms: [{ ...first, name: 'X-Key' }, second, both] },
    ],
    [
      'the text of a header with a secret',
      { requestTransforms: [{ ...first, value: '{{ configuration.K }}' }, second, both] },
    ],
    [
      'which secret a header has',
      { requestTransforms: [{ ...first, value: 'Bearer {{ configuration.L }}' }, second, both] },
    ],
    ['one header with a secret more', { requestTransforms: [...BEFORE.requestTransforms, first] }],
    ['one header with a secret less', { requestTransforms: [second, both] }],
  ])('is %s', (_, change) => {
    expect(alters(change)).toBe(true);
  });

  it('is another public value beside a secret, in the same header', () => {
    expect(alters({}, { ...VALUES, REGION: { value: 'us', isPublic: true } })).toBe(true);
  });

  it('is a public value that is sent beside a secret, also an equal one, which is not compared', () => {
    const isSet = (name: string) => name === 'REGION';
    expect(altersUses(BEFORE, VALUES, BEFORE, VALUES, isSet)).toBe(true);
    expect(altersUses(BEFORE, VALUES, BEFORE, VALUES, (name) => name === 'OTHER')).toBe(false);
  });

  it.each<[string, Partial<Used>]>([
    ['nothing', {}],
    ['another order', { requestTransforms: [both, second, first] }],
    ['a header without a secret', { requestTransforms: [first, header('X-Plain', 'p'), both] }],
  ])('is not %s', (_, change) => {
    expect(alters(change)).toBe(false);
  });
});
