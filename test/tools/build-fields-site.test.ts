import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FieldsConfig } from '../../packages/fields/headers.ts';
import { writeFieldsSite, type FieldsScript } from '../../lib/fields-site.ts';
import { buildFieldsSite } from '../../tools/build-fields-site.ts';

const CONFIG: FieldsConfig = {
  apiUrl: 'https://tokens.example.com',
  headerPrefix: 'SVC',
  origins: ['https://shop.example.com'],
  digits: false,
};
const KB = 1_000;

let files: string;
let folder: string;
let built: FieldsScript;

const file = (name: string) => readFileSync(join(folder, name), 'utf8');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fields-site-'));
  files = mkdtempSync(join(tmpdir(), 'fields-built-'));
  await buildFieldsSite(files);
  built = writeFieldsSite(files, folder, CONFIG);
});
afterAll(() => {
  for (const each of [files, folder]) rmSync(each, { recursive: true });
});

describe('the site of the card fields', () => {
  it('has a script of 12 KB for a page, and 15 KB for a frame, as CloudFront compresses them', () => {
    const linked = [...file('v1/frame.html').matchAll(/\.\.\/(assets\/[\w.-]+)/g)].map(
      ([, name = '']) => name,
    );
    expect(linked).toHaveLength(2);
    const program = linked.find((name) => name.endsWith('.js')) ?? '';
    const frame = ['v1/frame.html', ...linked].map((name) => brotliCompressSync(file(name)).length);
    expect(gzipSync(file('fields.js')).length).toBeLessThan(12 * KB);
    expect(gzipSync(file(program)).length).toBeLessThan(15 * KB);
    expect(frame.reduce((sum, size) => sum + size, 0)).toBeLessThan(15 * KB);
  });

  it('has the same script under a name of its content, with the checksum that is printed', () => {
    const hash = createHash('sha384').update(file(built.script)).digest('base64');
    expect(built.integrity).toBe(`sha384-${hash}`);
    expect(file(built.script)).toBe(file('fields.js'));
  });

  it('differs by its configuration in the page of a frame alone', () => {
    const other = mkdtempSync(join(tmpdir(), 'fields-site-'));
    const hostile = { ...CONFIG, origins: ['</script><script>alert(1)</script>'], digits: true };
    expect(writeFieldsSite(files, other, hostile)).toEqual(built);
    expect(readdirSync(join(other, 'assets'))).toEqual(readdirSync(join(folder, 'assets')));
    const page = readFileSync(join(other, 'v1/frame.html'), 'utf8');
    expect(page).not.toBe(file('v1/frame.html'));
    expect(page).not.toContain('<script>alert');
    rmSync(other, { recursive: true });
  });

  it('has the fonts of a folder, each with a family, a weight and a style', () => {
    const other = mkdtempSync(join(tmpdir(), 'fields-site-'));
    const fonts = join(folder, 'fonts');
    mkdirSync(fonts);
    writeFileSync(join(fonts, 'Inter-700-italic.woff2'), 'font');
    writeFileSync(join(fonts, 'Open Sans.woff2'), 'font');
    writeFieldsSite(files, other, CONFIG, fonts);
    const style = readdirSync(join(other, 'assets')).find((name) => name.endsWith('.css')) ?? '';
    const rules = readFileSync(join(other, 'assets', style), 'utf8');
    expect(rules).toMatch(
      /@font-face{font-family:"Inter";font-weight:700;font-style:italic;src:url\(Inter-700-italic-[\da-f]{12}\.woff2\)/,
    );
    expect(rules).toMatch(
      /@font-face{font-family:"Open Sans";font-weight:400;font-style:normal;src:url\(Open-Sans-/,
    );
    // Digits of a part of a font would be asked for while they are typed.
    expect(rules).not.toContain('unicode-range');
    writeFileSync(join(fonts, 'Inter"bold.woff2'), 'font');
    expect(() => writeFieldsSite(files, other, CONFIG, fonts)).toThrow('a font has a name such as');
    rmSync(other, { recursive: true });
  });
});
