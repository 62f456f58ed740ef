import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  claimCredentialsFile,
  parseTenantCredentials,
  readTenantCredentials,
  writeCredentials,
} from '../../../bin/local/credentials-file.ts';

const credentials = { tenant_id: 't', management_key: 'key_secret', webhook_secret: 'w' };
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'credentials-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

it('what was written is read again', () => {
  const file = join(directory, 'new', 'folder', 'credentials.json');
  writeCredentials(file, credentials);
  expect(readTenantCredentials(file)).toEqual(credentials);
});

it('nobody else may read the file, and an earlier one is replaced without a trace', () => {
  const file = join(directory, 'credentials.json');
  writeFileSync(file, 'old', { mode: 0o644 });
  writeCredentials(file, credentials);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(['credentials.json']);
  expect(readFileSync(file, 'utf8')).toContain('key_secret');
});

it('no file is no credentials', () => {
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

it('what the operator function answers beside the credentials is dropped', () => {
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
    const first = claimCredentialsFile(undefined, 8787);
    const second = claimCredentialsFile(undefined, 9000);
    const third = claimCredentialsFile(undefined, 0);
    expect([first, second, third].map(name)).toEqual([
      'credentials.json',
      'credentials-9000.json',
      `credentials-${String(process.pid)}.json`,
    ]);
    first.release();
    expect(name(claimCredentialsFile(undefined, 9001))).toBe('credentials.json');
  });

  it('that was asked for is refused while another service has it', () => {
    const file = join(directory, 'mine.json');
    const first = claimCredentialsFile(file, 8787);
    expect(() => claimCredentialsFile(file, 9000)).toThrow(`${file} is in use by process`);
    first.release();
    claimCredentialsFile(file, 9000).release();
    expect(readdirSync(directory)).toEqual([]);
  });
});
