import { generateKeyPairSync, verify } from 'node:crypto';
import {
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
import {
  emptyManifest,
  manifestText,
  parseManifest,
  type Job,
  type Manifest,
} from '../../../bin/export/manifest/manifest.ts';
import { readManifest, writeManifest } from '../../../bin/export/manifest/manifest-file.ts';
import { signerOf } from '../../../bin/export/manifest/sign.ts';
import { fc } from '../../../packages/test-kit/src/properties.ts';

const JOB: Job = {
  format: 'csv',
  columns: ['id'],
  part_rows: 10,
  tenant: 't',
  application: 'a',
  filter: {},
};
const EMPTY = emptyManifest(JOB, '2026-12-01T00:00:00+00:00');
const PART = {
  n: 1,
  rows: 1,
  first_id: 'first',
  last_id: 'last',
  bytes: 3,
  sha256: '0'.repeat(64),
  shown: { reveal: 1, mask: 0, redact: 0 },
};
const { next: _, ...done }: Extract<Manifest, { readonly complete: false }> = EMPTY;
const COMPLETE: Manifest = {
  ...done,
  complete: true,
  finished_at: '2026-12-01T00:01:00+00:00',
  parts: [PART],
};

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloakroom-manifest-'));
  file = join(folder, 'manifest.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('a manifest', () => {
  it('has the ids of tokens without anything that a terminal or a reader of lines acts on', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom('\\u000a"forged": 1', '\n"a": 1', '\u001b[2J'),
        ),
        (id) => {
          const manifest: Manifest = { ...COMPLETE, parts: [{ ...PART, first_id: id }] };
          const text = manifestText(manifest);
          expect(parseManifest(text)).toEqual(manifest);
          expect(text.split('\n')).toHaveLength(manifestText(COMPLETE).split('\n').length);
          expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}|\u2028|\u2029/u);
        },
      ),
    );
  });

  it('is replaced as a whole, for its owner alone, and a link is not followed', () => {
    const other = join(folder, 'other');
    writeFileSync(other, 'precious');
    symlinkSync(other, file);
    writeManifest(file, EMPTY);
    writeManifest(file, COMPLETE);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readManifest(file)).toEqual(COMPLETE);
    expect(readFileSync(other, 'utf8')).toBe('precious');
    expect(readdirSync(folder).toSorted()).toEqual(['manifest.json', 'other']);
  });

  it('is refused if it is something else, and absent before the first run', () => {
    expect(readManifest(file)).toBeUndefined();
    for (const content of ['', '{}', 'data 4242424242424242', JSON.stringify({ ...EMPTY, version: 2 })]) {
      writeFileSync(file, content);
      expect(() => readManifest(file)).toThrow(`--manifest ${file}: is no manifest of an export`);
    }
  });

  it('that cannot be written ends the run with the reason', () => {
    expect(() => {
      writeManifest(join(folder, 'absent/manifest.json'), EMPTY);
    }).toThrow('cannot be written (ENOENT)');
  });
});

describe('a signature', () => {
  it.each([
    ['Ed25519', generateKeyPairSync('ed25519'), null],
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }), 'sha256'],
    ['EC', generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'sha256'],
  ])('verifies the complete manifest, by a key of %s', (_name, { privateKey, publicKey }, hash) => {
    const pem = join(folder, 'key.pem');
    writeFileSync(pem, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const sign = signerOf(pem);
    writeManifest(file, EMPTY, sign);
    expect(readdirSync(folder)).not.toContain('manifest.json.sig');
    writeManifest(file, COMPLETE, sign);
    const signature = Buffer.from(readFileSync(`${file}.sig`, 'utf8'), 'base64');
    expect(verify(hash, readFileSync(file), publicKey, signature)).toBe(true);
    expect(verify(hash, Buffer.from(manifestText(EMPTY)), publicKey, signature)).toBe(false);
  });

  it('needs a private key that it can use, and shows nothing of another file', () => {
    const pem = join(folder, 'key.pem');
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { privateKey: agreement } = generateKeyPairSync('x25519');
    const locked = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
    const refused = [
      ['cannot be read (ENOENT)', undefined],
      ['is no private key in PEM', 'secret text'],
      ['is no private key in PEM', publicKey.export({ type: 'spki', format: 'pem' })],
      ['the key has a passphrase', privateKey.export(locked)],
      ['must be a key of Ed25519, RSA or EC', agreement.export({ type: 'pkcs8', format: 'pem' })],
    ] as const;
    for (const [problem, content] of refused) {
      if (content !== undefined) writeFileSync(pem, content);
      expect(() => signerOf(pem)).toThrow(`--sign-with ${pem}: ${problem}`);
    }
  });
});
