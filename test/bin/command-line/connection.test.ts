import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectionOf, type ConnectionFlags } from '../../../bin/command-line/connection.ts';

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-connection-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const KEY = 'key_private_5up3rSecret';
const fileOf = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const environment = { CLOAKROOM_URL: 'https://vault.example.com', CLOAKROOM_API_KEY: KEY, OTHER: 'key_2' };
const connected = (flags: Partial<ConnectionFlags>, env: Record<string, string> = environment) =>
  connectionOf({ headerPrefix: 'SVC', ...flags }, env, {
    readSecret: (name) => Promise.resolve(name === 'prod/shop' ? `{"key":"key_3"}` : undefined),
  });

describe('a connection', () => {
  it('comes from the environment', async () => {
    expect(await connected({})).toEqual({
      baseUrl: 'https://vault.example.com',
      apiKey: KEY,
      headerPrefix: 'SVC',
      keySource: 'env:CLOAKROOM_API_KEY',
    });
  });

  it.each([
    ['env:OTHER', 'key_2'],
    [`file:${fileOf('key', 'key_4\n')}`, 'key_4'],
    [`file:${fileOf('tenant.json', { tenant_id: 't', management_key: 'key_5' })}`, 'key_5'],
    ['aws-secret:prod/shop', 'key_3'],
  ])('has the key of %s', async (keyFrom, apiKey) => {
    expect(await connected({ keyFrom })).toMatchObject({ apiKey, keySource: keyFrom });
  });

  it('has address and management key of a service on this machine', async () => {
    const local = fileOf('credentials.json', { base_url: 'http://localhost:1', management_key: 'key_6' });
    expect(await connected({ local })).toMatchObject({ baseUrl: 'http://localhost:1', apiKey: 'key_6' });
    expect(await connected({ local, keyFrom: 'env:OTHER' })).toMatchObject({ apiKey: 'key_2' });
  });

  it.each([
    [{ keyFrom: KEY }, '--key-from must be env:NAME, file:PATH or aws-secret:NAME'],
    [{ keyFrom: 'env:ABSENT' }, 'env:ABSENT has no key'],
    [{ keyFrom: `file:${folder}/absent` }, `file:${folder}/absent cannot be read (ENOENT)`],
    [{ keyFrom: `file:${fileOf('text', `${KEY} and more`)}` }, 'text has something other than a key'],
    [{ keyFrom: `file:${fileOf('broken', `{${KEY}`)}` }, 'broken has no key'],
    [{ keyFrom: 'aws-secret:absent' }, 'aws-secret:absent has no key'],
    [{ url: 'http://vault.example.com' }, 'must begin with https://'],
    [{ url: `https://x:${KEY}@vault.example.com` }, '--url: the URL must not have a password'],
    [{ url: 'vault' }, '--url: vault is not a URL'],
    [{ url: 'https://a.example', local: 'x' }, '--url and --local exclude each other'],
    [{ local: `${folder}/absent` }, 'absent cannot be read: is the service running'],
    [{ local: fileOf('other.json', { key: KEY }) }, 'other.json is no credentials file'],
    [{ keyFrom: `env:${KEY}-x` }, '--key-from must be env:NAME'],
  ])('is refused with %j, in words without a key', async (flags, problem) => {
    const refused = connected(flags);
    await expect(refused).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(problem),
    });
    await expect(refused).rejects.not.toThrow(KEY);
  });

  it.each([
    'http://192.0.2.2:18999',
    'https://vault.example.com',
    'localhost',
    'http://localhost.example.com',
  ])('sends no key to the address of a file that is not on this machine: %s', async (address) => {
    const local = fileOf('elsewhere.json', { base_url: address, management_key: KEY });
    for (const flags of [{ local }, { local, keyFrom: 'env:OTHER' }])
      await expect(connected(flags)).rejects.toThrow('names an address that is not on this machine');
  });

  it('needs an address', async () => {
    await expect(connected({}, { CLOAKROOM_API_KEY: KEY })).rejects.toThrow('no address: set CLOAKROOM_URL');
  });
});
