import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
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
