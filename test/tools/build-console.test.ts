import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildConsole } from '../../tools/build-console.ts';
import { temporaryFolder } from '../support/run-service.ts';

const KB = 1_000;

describe('the files of the console', () => {
  let folder: string;
  let built: Awaited<ReturnType<typeof buildConsole>>;

  beforeAll(async () => {
    folder = temporaryFolder();
    built = await buildConsole(folder);
  });

  /** The compressed size of a file and of everything that it imports at once. */
  function sizeOf(output: string): number {
    const { imports = [] } = built.metafile.outputs[output] ?? {};
    const loaded = imports.filter(({ kind }) => kind === 'import-statement');
    return gzipSync(readFileSync(output)).length + loaded.reduce((sum, { path }) => sum + sizeOf(path), 0);
  }

  const outputs = () => Object.keys(built.metafile.outputs);
  const named = (name: string) => outputs().find((path) => path.includes(`/${name}-`)) ?? '';

  it('take at most 70 KB for the first view, and 170 KB for the editor', () => {
    const first = outputs().filter((path) => path.endsWith(built.entry) || path.endsWith(built.style));
    expect(first.reduce((sum, path) => sum + sizeOf(path), 0)).toBeLessThan(70 * KB);
    expect(sizeOf(named('codemirror'))).toBeLessThan(170 * KB);
  });

  it('are named by their content, and the page has no script or style in it', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    expect(page).toContain(`src="assets/${built.entry}"`);
    expect(page).not.toMatch(/<style|<script>|\son\w+=|style=/);
    for (const path of outputs()) expect(path).toMatch(/-[A-Z0-9]{8}\.(?:js|css)$/);
  });

  it('name no other host', () => {
    for (const path of outputs()) {
      const hosts = [...readFileSync(path, 'utf8').matchAll(/https?:\/\/[\w.-]+/g)].map(([host]) => host);
      // Examples in placeholders, and the names of the XML of SVG and MathML.
      expect(hosts.filter((host) => !/example\.com$|www\.w3\.org$/.test(host))).toEqual([]);
    }
  });
});
