import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { codeBlocks, compileTexts, exampleModule } from '../../../test/support/compile-texts.ts';

const root = process.cwd();

/** The declarations that the examples assume. */
const GLOBALS = `
  import type * as sdk from '@cloakroom/sdk';
  declare global {
    const { createClient, verifyWebhook, ApiError, ConnectionError, TimeoutError, WebhookVerificationError,
      BadRequestError, InvalidReactorConfigurationError, AuthenticationError, InvalidPaymentMethodError,
      AuthorizationError, RateLimitError, ReactorRuntimeError, ServiceUnavailableError, cardBrand,
      tokenIdOf }: typeof sdk;
    const client: sdk.Client;
    const [id, keyId, proxyKey, invocation, tokenId, number, code, nonce, secret, body]: string[] & Record<number, string>;
    const args: Record<string, sdk.Json>;
    const [KEY, PUBLIC_KEY, WEBHOOK_SECRET, PROVIDER_KEY, baseUrl]: string[] & Record<number, string>;
    const data: sdk.CardData;
    const requests: { count: number };
    const request: { headers: Record<string, string | string[] | undefined> };
    const headers: Record<string, string>;
  }`;

/** Finds the examples, by their positions. */
function examples(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (place: string, text: string) => void found.set(place, exampleModule(text));
  for (const file of globSync('packages/sdk/src/*.ts')) {
    const text = readFileSync(file, 'utf8');
    [...text.matchAll(/@example (.*)$/gm)].forEach(([, example = ''], at) =>
      add(`${file} ${String(at)}`, example.replace(/ \*\/$/, '')),
    );
  }
  for (const file of ['packages/sdk/README.md', 'docs/sdk.md']) {
    codeBlocks(readFileSync(file, 'utf8'), 'js|ts').forEach((example, at) =>
      add(`${file} ${String(at)}`, example),
    );
  }
  const programs = readFileSync('docs/start.md', 'utf8').matchAll(/<<'EOF'\n(.*?)^EOF$/gms);
  // packages/testing/test/package.test.ts runs those of the other package.
  [...programs]
    .filter(([, program = '']) => program.includes("'@cloakroom/sdk'"))
    .forEach(([, program = ''], at) => add(`docs/start.md ${String(at)}`, program));
  return found;
}

/** Compiles texts, and returns what the compiler prints, by their positions. */
const compiled = (texts: ReadonlyMap<string, string>): readonly string[] =>
  compileTexts(texts, {
    folder: 'packages/sdk/test',
    modules: { '@cloakroom/sdk': 'packages/sdk/src/index.ts' },
    globals: GLOBALS,
    options: { lib: ['lib.es2022.d.ts'], types: ['node'] },
  });

describe('the examples', () => {
  it('the examples of docstrings and documentation compile, and are reported otherwise', () => {
    const texts = examples();
    expect(texts.size).toBeGreaterThan(40);
    expect([...texts.keys()].filter((place) => place.startsWith('docs/start.md'))).toHaveLength(1);
    const wrong = 'export const example = async () => (await client.tokens.retrieve(7)).di;';
    const problems = compiled(new Map([...texts, ['wrong', wrong]]));
    const ofWrong = problems.filter((problem) => problem.includes('virtual-wrong.ts'));
    expect(ofWrong).toHaveLength(2);
    expect(problems).toEqual(ofWrong);
  });

  it('exist for every export, every operation of the client and every row of docs/sdk.md', () => {
    const program = ts.createProgram([join(root, 'packages/sdk/src/index.ts')], {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      strict: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      types: ['node'],
      skipLibCheck: true,
    });
    const checker = program.getTypeChecker();
    const index = program.getSourceFile(join(root, 'packages/sdk/src/index.ts'));
    const module = index && checker.getSymbolAtLocation(index);
    if (module === undefined) throw new Error('packages/sdk/src/index.ts has no exports');
    const hasExample = (symbol: ts.Symbol) =>
      symbol.getJsDocTags(checker).some(({ name }) => name === 'example');
    const exported = checker
      .getExportsOfModule(module)
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
    const values = exported.filter(({ flags }) => flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class));
    expect(values.length).toBeGreaterThan(10);
    const client = exported.find(({ name }) => name === 'Client');
    if (client === undefined) throw new Error('there is no Client');
    const operationsOf = (type: ts.Type, group = ''): readonly (readonly [string, ts.Symbol])[] =>
      type.getProperties().flatMap((property) => {
        const own = checker.getTypeOfSymbol(property);
        const name = group + property.name;
        return own.getCallSignatures().length > 0 ? [[name, property]] : operationsOf(own, `${name}.`);
      });
    const operations = operationsOf(checker.getDeclaredTypeOfSymbol(client));
    expect(operations.length).toBeGreaterThan(25);
    const symbols = [...values, ...operations.map(([, symbol]) => symbol)];
    expect(symbols.filter((symbol) => !hasExample(symbol)).map(({ name }) => name)).toEqual([]);

    const [, table = ''] = readFileSync('docs/sdk.md', 'utf8').split('## Operations of the SDK');
    const rows = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual(operations.map(([name]) => name).sort());
  });
});
