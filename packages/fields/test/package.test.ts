import { noteUse } from '../../../test/budgets.ts';
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { inThoroughRun, whenTouched } from '../../test-kit/src/which-runs.ts';
import { aProject, packedPackage } from '../../../test/support/packed-packages.ts';

const run = promisify(execFile);

let tarball: string;
/** The project has installed the package, and no React. */
let project: string;
/** The same project, which has the React of the repository, too. */
let withReact: string;

beforeAll(async () => {
  tarball = await packedPackage('fields');
  [project, withReact] = await Promise.all([aProject(tarball, {}), aProject(tarball, {})]);
  for (const name of ['react', 'react-dom', 'scheduler', '@types/react', 'csstype']) {
    mkdirSync(dirname(join(withReact, 'node_modules', name)), { recursive: true });
    symlinkSync(resolve('node_modules', name), join(withReact, 'node_modules', name));
  }
});

const installed = (file = '') => join(project, 'node_modules/@cloakroom/fields', file);

/** The lines that a program prints. */
async function output(folder: string, file: string, text: string): Promise<readonly string[]> {
  writeFileSync(join(folder, file), text);
  const { stdout, stderr } = await run(process.execPath, [join(folder, file)], { cwd: folder });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

describe('the package', () => {
  it('contains its own files, and nothing of a frame', () => {
    const files = globSync('**/*', { cwd: installed() }).filter((file) => statSync(installed(file)).isFile());
    const entries = ['index', 'element', 'react'];
    const types = [...entries, 'create-fields', 'field-interface', 'protocol', 'surroundings'];
    expect(files.sort()).toEqual(
      [
        ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'],
        ...entries.flatMap((name) => [`dist/${name}.cjs`, `dist/${name}.js`]),
        ...types.flatMap((name) => [`dist/types/${name}.d.cts`, `dist/types/${name}.d.ts`]),
      ].sort(),
    );
    expect(globSync('*', { cwd: join(project, 'node_modules') })).toEqual(['@cloakroom']);
    for (const file of globSync('dist/*', { cwd: installed() }).filter((name) => /js$/.test(name)))
      expect(readFileSync(installed(file), 'utf8')).not.toMatch(/FIELDS_URL|cc-number|Idempotency/i);
  });

  it('has the version and the licence of the service, and no dependency but an optional React', () => {
    const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    const service = read('package.json');
    const fields = read('packages/fields/package.json');
    expect([fields['version'], fields['license']]).toEqual([service['version'], service['license']]);
    expect(fields).toMatchObject({
      peerDependencies: { react: '>=18' },
      peerDependenciesMeta: { react: { optional: true } },
    });
    for (const name of ['dependencies', 'optionalDependencies', 'scripts', 'bin'])
      expect(fields).not.toHaveProperty(name);
  });

  whenTouched.it('has no finding of publint and "Are the types wrong?"', async () => {
    const { stdout } = await run(process.execPath, ['tools/check-package.ts', tarball]);
    expect(stdout).toBe('0 findings\n');
  });

  it('adds little to the bundle of a page, and React only its wrapper', async () => {
    const sizeOf = async (contents: string) => {
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: project },
        bundle: true,
        minify: true,
        write: false,
        format: 'esm',
        external: ['react'],
      });
      return gzipSync(outputFiles[0]?.contents ?? '').length;
    };
    const page = await sizeOf("export { createFields } from '@cloakroom/fields'");
    const element = await sizeOf(
      "export * from '@cloakroom/fields'; export * from '@cloakroom/fields/element'",
    );
    const react = await sizeOf("export * from '@cloakroom/fields/react'");
    process.stdout.write(
      `Card fields with gzip: ${String(page)} bytes, with the element ${String(element)}, with React's wrapper ${String(react)}\n`,
    );
    // Names of options, brands and styles are 0.8 KB: a page in plain JavaScript has no types. The
    // error of an old browser is 0.1 KB, and so is the line for a failure without a listener.
    expect(page).toBeLessThan(5_400);
    expect(element).toBeLessThan(6_600);
    expect(react).toBeLessThan(6_000);
  });
});

describe('a program without a browser', () => {
  it('loads every entry, as a module and as CommonJS', async () => {
    const names = "Object.keys({ ...fields, ...element, ...react }).sort().join(' ')";
    const use = `
      element.defineFieldElement();
      const made = fields.createFields({ fieldsUrl: 'https://fields.example.com', apiKey: 'k' });
      const number = made.field('card_number', { label: 'Number' });
      number.on('change', () => undefined);
      number.update({ label: 'Other' });
      made.configure({ locale: 'de' });
      made.unmount();
      made.createToken({ type: 'card', data: { number } }).catch((error) => {
        console.log(error instanceof fields.FieldsError, error.code);
      });
      console.log(${names});`;
    const expected = [
      'CloakroomField FieldsError createFields defineFieldElement useFields',
      'true unmounted',
    ];
    const entries = { fields: '', element: '/element', react: '/react' };
    const imports = Object.entries(entries).map(
      ([name, path]) => [name, `'@cloakroom/fields${path}'`] as const,
    );
    const asModule = imports.map(([name, path]) => `import * as ${name} from ${path};`).join('\n');
    const inCommonJs = imports.map(([name, path]) => `const ${name} = require(${path});`).join('\n');
    expect(await output(withReact, 'all.mjs', asModule + use)).toEqual(expected);
    expect(await output(withReact, 'all.cjs', inCommonJs + use)).toEqual(expected);
  });

  it('loads the fields and the element without React', async () => {
    const text = `import { createFields } from '@cloakroom/fields';
      import { defineFieldElement } from '@cloakroom/fields/element';
      console.log(typeof createFields, typeof defineFieldElement);`;
    expect(await output(project, 'none.mjs', text)).toEqual(['function function']);
  });

  it('has errors that are instances of the class of both builds', async () => {
    const text = `import * as esm from '@cloakroom/fields';
      import { createRequire } from 'node:module';
      const cjs = createRequire(import.meta.url)('@cloakroom/fields');
      const error = new cjs.FieldsError({ code: 'aborted', message: 'x' });
      console.log(esm.FieldsError === cjs.FieldsError, error instanceof esm.FieldsError, new TypeError() instanceof esm.FieldsError);`;
    expect(await output(project, 'both.mjs', text)).toEqual(['false true false']);
  });

  /** Renders a form as a server does. */
  const ON_SERVER = `
    import { createElement as h, StrictMode } from 'react';
    import { renderToString } from 'react-dom/server';
    import { CloakroomField, useFields } from '@cloakroom/fields/react';
    function Form() {
      const fields = useFields({ fieldsUrl: 'https://fields.example.com', apiKey: 'k' });
      return h(CloakroomField, { fields, kind: 'card_number', id: 'number', className: 'box', boxStyle: { height: '3rem' } });
    }
    console.log(renderToString(h(StrictMode, null, h(Form))));`;
  const ON_PAGE = ['<div id="number" class="box" style="height:3rem"></div>'];

  it('renders the box of a field with React', async () => {
    expect(await output(withReact, 'server.mjs', ON_SERVER)).toEqual(ON_PAGE);
  });

  inThoroughRun.it('renders the same with React 18, without a warning, and its types fit', async () => {
    const folder = await aProject(tarball, {});
    const packages = ['react@18.3.1', 'react-dom@18.3.1', '@types/react@18.3.24'];
    await run('npm', ['install', '--no-audit', '--no-fund', '--silent', ...packages], { cwd: folder });
    expect(await output(folder, 'server.mjs', ON_SERVER)).toEqual(ON_PAGE);
    expect(await compiled(folder, { 'types.mts': TYPES + REACT_TYPES })).toBe('');
  });
});

const TYPES = `
  import { createFields, FieldsError, type Field, type StoredToken } from '@cloakroom/fields';
  import { defineFieldElement, type CloakroomFieldElement } from '@cloakroom/fields/element';
  defineFieldElement();
  const fields = createFields({ fieldsUrl: 'x', session: async () => 'k', style: { dark: { base: { color: '#fff' } } } });
  const number: Field = fields.field('card_number', { label: undefined, brands: ['visa'] });
  export const end: () => void = number.on('change', ({ brand, bin }) => [brand === 'visa', bin?.length]);
  export const token: Promise<StoredToken> = fields.createToken({ type: 'card', data: { number } });
  export const tree: Promise<{ readonly a: string | null; readonly b: readonly string[] }> = fields.tokenize({ a: number, b: ['x'] });
  export const box: CloakroomFieldElement | null = document.querySelector('cloakroom-field');
  export const fieldsOf = (error: unknown) => (error instanceof FieldsError ? error.fields : []);
  // @ts-expect-error -- there is no such kind
  fields.field('iban');
  // @ts-expect-error -- a style has listed properties
  number.update({ style: { base: { background: 'url(x)' } } });
  // @ts-expect-error -- a request with fields has no mask
  fields.createToken({ type: 'card', data: { number }, mask: '{{ data }}' });
`;
const REACT_TYPES = `
  import { createElement, useRef } from 'react';
  import { CloakroomField, useFields } from '@cloakroom/fields/react';
  export function Form({ label }: { label: string | undefined }) {
    const own = useFields({ fieldsUrl: 'x', apiKey: 'k', locale: label });
    const ref = useRef<Field>(null);
    // @ts-expect-error -- kind is missing
    createElement(CloakroomField, { fields: own });
    createElement(CloakroomField, { fields: own, kind: 'text', ref: (field) => field?.focus() });
    return createElement(CloakroomField, { fields: own, kind: 'text', label, ref, onChange: (state) => state.empty });
  }
`;

/** The output of the compiler for files of a project, which has no types of Node. */
async function compiled(folder: string, files: Readonly<Record<string, string>>, options: object = {}) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'es2022',
    types: [],
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'nodenext',
    skipDefaultLibCheck: true,
    ...options,
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  const tsc = resolve('node_modules/typescript/bin/tsc');
  noteUse('runs of the TypeScript compiler');
  return run(process.execPath, [tsc, '-p', config, '--pretty', 'false']).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
}

describe('the types', () => {
  it('compile under strict without skipLibCheck where React is not installed', async () => {
    expect(await compiled(project, { 'types.mts': TYPES, 'types.cts': TYPES })).toBe('');
  });

  whenTouched.it('compile under strict without skipLibCheck with React', async () => {
    const text = TYPES + REACT_TYPES;
    expect(await compiled(withReact, { 'types.mts': text, 'types.cts': text })).toBe('');
  });

  inThoroughRun.it.each([
    ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
    ['node (the classic one)', { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' }],
    ['nodenext, with skipLibCheck', { skipLibCheck: true }],
  ])('compile with the module resolution %s', async (_name, options) => {
    expect(await compiled(withReact, { 'types.ts': TYPES + REACT_TYPES }, options)).toBe('');
  });
});
