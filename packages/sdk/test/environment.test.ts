import { createClient } from '../src/index.ts';
import { bundled } from './bundled.ts';
import { withService } from './a-service.ts';

/** Runs with these variables of the client; an absent one is not set. */
async function withVariables<T>(
  variables: { readonly CLOAKROOM_URL?: string; readonly CLOAKROOM_API_KEY?: string },
  use: () => T | Promise<T>,
): Promise<T> {
  const before = process.env;
  const { CLOAKROOM_URL: _url, CLOAKROOM_API_KEY: _key, ...others } = before;
  process.env = { ...others, ...variables };
  try {
    return await use();
  } finally {
    process.env = before;
  }
}

/** The service and the key that a client uses. */
const usedBy = async (options: Parameters<typeof createClient>[0]) =>
  withService([], async (baseUrl, received) => {
    await withVariables(
      { CLOAKROOM_URL: `${baseUrl}/environment`, CLOAKROOM_API_KEY: 'key_environment' },
      () =>
        createClient(options === undefined ? undefined : { ...options, ...(options.baseUrl && { baseUrl }) })
          .permissions.list()
          .then(() => undefined),
    );
    return received.map(({ url, headers }) => [url, headers['svc-api-key']]);
  });

describe('a client in Node', () => {
  it('has its address and its key from the environment', async () => {
    expect(await usedBy(undefined)).toEqual([['/environment/permissions', 'key_environment']]);
    expect(await usedBy({ baseUrl: undefined, apiKey: undefined })).toEqual([
      ['/environment/permissions', 'key_environment'],
    ]);
  });

  it('prefers its options', async () => {
    expect(await usedBy({ apiKey: 'key_option' })).toEqual([['/environment/permissions', 'key_option']]);
    expect(await usedBy({ baseUrl: 'that of the service' })).toEqual([['/permissions', 'key_environment']]);
  });

  it.each([
    ['CLOAKROOM_URL', { CLOAKROOM_API_KEY: 'k' }],
    ['CLOAKROOM_URL', { CLOAKROOM_URL: '', CLOAKROOM_API_KEY: 'k' }],
    ['CLOAKROOM_API_KEY', { CLOAKROOM_URL: 'https://tokens.example.com' }],
    ['CLOAKROOM_API_KEY', { CLOAKROOM_URL: 'https://tokens.example.com', CLOAKROOM_API_KEY: '' }],
  ])('throws a TypeError that names %s if it needs this variable and gets %j', async (name, variables) => {
    await withVariables(variables, () => {
      expect(() => createClient()).toThrow(TypeError);
      expect(() => createClient()).toThrow(name);
    });
  });

  it('uses no variable in place of an empty option', async () => {
    await withVariables({ CLOAKROOM_URL: 'https://tokens.example.com', CLOAKROOM_API_KEY: 'k' }, () => {
      expect(() => createClient({ apiKey: '' })).toThrow(TypeError);
      expect(() => createClient({ baseUrl: '' })).toThrow(TypeError);
    });
  });
});

it('a client in a browser needs both options, whatever the environment is', async () => {
  const { createClient: inBrowser } = await bundled('browser');
  await withVariables({ CLOAKROOM_URL: 'https://tokens.example.com', CLOAKROOM_API_KEY: 'k' }, () => {
    expect(() => inBrowser({ baseUrl: 'https://tokens.example.com' })).toThrow('Set the option apiKey');
    expect(() => inBrowser({ apiKey: 'k' })).toThrow('Set the option baseUrl');
  });
});
