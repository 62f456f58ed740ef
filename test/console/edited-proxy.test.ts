import { changeOf, editedOf, newProxyOf } from '../../console/src/proxies/edited-proxy.ts';
import type { StoredProxy } from '../../console/src/sdk.ts';

const PROXY: StoredProxy = {
  id: 'p',
  tenant_id: 't',
  version: 1,
  name: 'Provider',
  destination_url: 'https://psp.example.com/v1',
  methods: ['POST'],
  request_transforms: [{ type: 'remove_header', name: 'X' }],
  response_transforms: [],
  require_auth: true,
  source_addresses: [],
  timeout: 25,
  configuration_names: ['API_KEY'],
  created_by: 'a',
  created_at: '2026-11-27T08:00:00Z',
};

describe('the edit of a stored proxy', () => {
  it('sends nothing that a person did not change', () => {
    expect(changeOf(PROXY, editedOf(PROXY))).toEqual({});
    expect(changeOf(PROXY, { ...editedOf(PROXY), name: 'Other', methods: '' })).toEqual({
      name: 'Other',
      methods: null,
    });
  });

  it('sends new values of the configuration alone, and marks those that may come back', () => {
    const edited = {
      ...editedOf(PROXY),
      secrets: [
        ['KEY', 'x'.repeat(20)],
        ['', ''],
      ],
      publics: [['REGION', 'eu']],
    } as const;
    expect(changeOf(PROXY, edited)).toEqual({
      configuration: { KEY: 'x'.repeat(20), REGION: { value: 'eu', public: true } },
    });
  });

  it('names the transforms that are no JSON', () => {
    expect(() => newProxyOf({ ...editedOf(undefined), responseTransforms: '[{' })).toThrow(
      /responses cannot be read/,
    );
  });

  it('has the defaults of the service for a new one', () => {
    expect(newProxyOf({ ...editedOf(undefined), name: 'P', url: ' https://a.example ' })).toMatchObject({
      destination_url: 'https://a.example',
      methods: undefined,
      require_auth: true,
      timeout: 25,
    });
  });
});
