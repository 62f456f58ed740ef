import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../bin/command-line/failures.ts';
import {
  claimCredentialsFile,
  parseTenantCredentials,
  readTenantCredentials,
  storeCredentials,
  writeCredentials,
} from '../../../bin/start/credentials-file.ts';

const credentials = { tenant_id: 't', management_key: 'key_secret', webhook_secret: 'w' };
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'credentials-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

it('credentials are read as they were written', () => {
  const file = join(directory, 'new', 'folder', 'credentials.json');
  writeCredentials(file, credentials);
  expect(readTenantCredentials(file)).toEqual(credentials);
});

it('only the owner may read the file, and an earlier one is replaced without a trace', () => {
  const file = join(directory, 'credentials.json');
  writeFileSync(file, 'old', { mode: 0o644 });
  writeCredentials(file, credentials);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(['credentials.json']);
  expect(readFileSync(file, 'utf8')).toContain('key_secret');
});

it('a missing file means no credentials', () => {
  expect(readTenantCredentials(join(directory, 'none.json'))).toBeUndefined();
});

it.each(['', '{', '{"tenant_id":"t"}'])(
  'a damaged file (%j) is named and its content is not shown',
  (content) => {
    const file = join(directory, 'credentials.json');
    writeFileSync(file, content);
    expect(() => readTenantCredentials(file)).toThrow(/credentials\.json is damaged/);
  },
);

it('other members of the operator function’s response are dropped', () => {
  expect(parseTenantCredentials(JSON.stringify({ ...credentials, more: 1 }))).toEqual(credentials);
});

describe('a claimed file', () => {
  const before = process.cwd();

  beforeEach(() => {
    process.chdir(directory);
  });

  afterEach(() => {
    process.chdir(before);
  });

  const name = ({ file }: { readonly file: string }) => file.slice(file.lastIndexOf('/') + 1);

  it('is the default one, or one named by the port while another service runs', () => {
    const first = claimCredentialsFile(undefined, { port: 8787 });
    const second = claimCredentialsFile(undefined, { port: 9000 });
    const third = claimCredentialsFile(undefined, { port: 0 });
    expect([first, second, third].map(name)).toEqual([
      'credentials.json',
      'credentials-9000.json',
      `credentials-${String(process.pid)}.json`,
    ]);
    first.release();
    expect(name(claimCredentialsFile(undefined, { port: 9001 }))).toBe('credentials.json');
  });

  it('that was requested is rejected while another service has it', () => {
    const file = join(directory, 'mine.json');
    const first = claimCredentialsFile(file, { port: 8787 });
    expect(() => claimCredentialsFile(file, { port: 9000 })).toThrow(`${file} is in use by process`);
    first.release();
    claimCredentialsFile(file, { port: 9000 }).release();
    expect(readdirSync(directory)).toEqual([]);
  });

  const running = {
    ...credentials,
    console_url: 'http://localhost:8788/',
    fields_url: 'http://localhost:8789',
    docs_url: 'http://localhost:8790',
    start_url: 'http://localhost:8791/',
    base_url: 'http://localhost:1',
    aws_endpoint_url: 'http://localhost:2',
    aws_region: 'us-east-1',
    aws_access_key_id: 'AKIA',
    aws_secret_access_key: 'secret',
    operator_function: 'Vault-operator',
  };

  it('is removed at the end with its content, and with nothing else', () => {
    const file = join(directory, 'mine.json');
    const earlier = JSON.stringify({ ...running, aws_secret_access_key: 'earlier' });
    writeFileSync(file, earlier);
    claimCredentialsFile(file, { port: 1 }).release();
    expect(readFileSync(file, 'utf8')).toBe(earlier);
    const replaced = claimCredentialsFile(file, { port: 1 });
    replaced.write(running);
    writeFileSync(file, 'of another');
    replaced.release();
    expect(readFileSync(file, 'utf8')).toBe('of another');
    rmSync(file);
    const claimed = claimCredentialsFile(file, { port: 1 });
    claimed.write(running);
    claimed.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('gets the next webhook secret of its tenant, as its data folder does, and is removed at the end', () => {
    const file = join(directory, 'mine.json');
    const tenant = join(directory, 'tenant.json');
    writeCredentials(tenant, credentials);
    const claimed = claimCredentialsFile(file, { port: 1 });
    claimed.write({ ...running, tenant_file: tenant });
    const secretIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')).webhook_secret;
    expect(storeCredentials(file, 'of another tenant', { webhook_secret: 'whsec_2' })).toBe(false);
    expect([file, tenant].map(secretIn)).toEqual([credentials.webhook_secret, credentials.webhook_secret]);
    expect(storeCredentials(file, credentials.tenant_id, { webhook_secret: 'whsec_2' })).toBe(true);
    expect([file, tenant].map(secretIn)).toEqual(['whsec_2', 'whsec_2']);
    expect(readTenantCredentials(tenant)).toEqual({ ...credentials, webhook_secret: 'whsec_2' });
    claimed.release();
    expect(readdirSync(directory)).toEqual(['tenant.json']);
    writeFileSync(file, 'no JSON');
    expect(storeCredentials(file, credentials.tenant_id, { webhook_secret: 'whsec_2' })).toBe(false);
  });

  it('is never the file in which a data folder stores its tenant', () => {
    const data = join(directory, '.local');
    const link = join(directory, 'link');
    mkdirSync(data);
    symlinkSync(data, link);
    expect(name(claimCredentialsFile(undefined, { port: 9000, dataDirectory: link }))).toBe(
      'credentials-9000.json',
    );
    expect(() =>
      claimCredentialsFile(join(link, 'credentials.json'), { port: 1, dataDirectory: data }),
    ).toThrow(/contains the tenant of the data folder: name another file$/);
  });

  it('is no folder and no file of something else, which stays', () => {
    expect(() => claimCredentialsFile(directory, { port: 1 })).toThrow(`${directory} is a folder`);
    const file = join(directory, 'notes.json');
    for (const content of ['notes', '{"base_url":"x"}', JSON.stringify(credentials)]) {
      writeFileSync(file, content);
      expect(() => claimCredentialsFile(file, { port: 1 })).toThrow(
        new UsageError(`${file} is not a credentials file of cloakroom start: name another file`),
      );
      expect(readFileSync(file, 'utf8')).toBe(content);
    }
    expect(readdirSync(directory)).toEqual(['notes.json']);
    writeCredentials(file, running);
    claimCredentialsFile(file, { port: 1 }).release();
  });
});
