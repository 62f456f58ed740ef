import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';
import { codeBlocks, compileTexts, exampleModule } from '../../../test/support/compile-texts.ts';
import { FIELD_KINDS, STYLE_PROPERTIES, STYLE_STATES } from '../src/protocol.ts';

const README = readFileSync('packages/fields/README.md', 'utf8');

const GLOBALS = `
  import type * as all from '@cloakroom/fields';
  import type * as react from '@cloakroom/fields/react';
  declare global {
    const createFields: typeof all.createFields;
    const PUBLIC_KEY: string;
    const FIELDS_URL: string;
    const fields: all.Fields;
    const [number, expiry, cvc, text]: all.Field[] & Record<number, all.Field>;
    const { CloakroomField, useFields }: typeof react;
    const numberRef: { current: all.Field | null };
    function setState(state: all.FieldState): void;
    const id: string;
    function saveCard(id: string): Promise<void>;
    function showProblem(text: string): void;
  }`;

const compiled = (texts: ReadonlyMap<string, string>) =>
  compileTexts(texts, {
    folder: 'packages/fields/test',
    modules: {
      '@cloakroom/fields': 'packages/fields/src/index.ts',
      '@cloakroom/fields/react': 'packages/fields/src/react.ts',
      'https://fields.example.com/fields.js': 'packages/fields/src/site.ts',
    },
    globals: GLOBALS,
    options: {
      lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: [],
      jsx: ts.JsxEmit.ReactJSX,
    },
  });

/** Returns the script of a page, which has no types: what may be missing is there. */
function script(html: string): string {
  const [, code = ''] = /<script type="module">\n(.*?)<\/script>/s.exec(html) ?? [];
  return code
    .replaceAll(/^ {2}/gm, '')
    .replace("querySelector('#form')", "querySelector('#form')!")
    .replace('({ field }) => field', '({ field }) => field!')
    .replace('const [number, expiry] =', 'const [number, expiry]: Record<number, any> & any[] =');
}

it('the README compiles', () => {
  const texts = new Map([
    ...codeBlocks(README, 'html').map(
      (html, at) => [`html ${String(at)}`, exampleModule(script(html))] as const,
    ),
    ...codeBlocks(README, 'ts').map((text, at) => [`ts ${String(at)}`, exampleModule(text)] as const),
    ...codeBlocks(README, 'tsx').map((text, at) => [`tsx ${String(at)}`, text] as const),
    ...globSync('packages/fields/src/{create-fields,react}.ts').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/@example (.*)$/gm)].map(
        ([, example = ''], at) => [`${file} ${String(at)}`, exampleModule(example)] as const,
      ),
    ),
  ]);
  expect(texts.size).toBe(9);
  const wrong = 'export const wrong: number = createFields({});';
  expect(compiled(new Map([...texts, ['wrong', wrong]]))).toEqual([
    expect.stringContaining('virtual-wrong.tsx'),
  ]);
});

it('the README names every kind, state, property, code and language', () => {
  const [, codes = ''] =
    /^export type FieldsErrorCode =\n(.*?);$/ms.exec(
      readFileSync('packages/fields/src/protocol.ts', 'utf8'),
    ) ?? [];
  const errors = [...codes.matchAll(/\| '(\w+)'/g)].map(([, code = '']) => code);
  expect(errors).toHaveLength(10);
  for (const name of [...FIELD_KINDS, ...STYLE_STATES, ...STYLE_PROPERTIES, ...errors])
    expect(README).toContain(`\`${name}\``);
  const names = new Intl.DisplayNames('en', { type: 'language' });
  for (const file of globSync('packages/fields/src/frame/languages/??.ts'))
    expect(README).toContain(names.of(basename(file, '.ts')));
});
