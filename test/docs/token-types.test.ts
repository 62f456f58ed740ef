import { DEFAULT_CONTAINERS } from '../../console/src/access.ts';
import { TOKEN_TYPE_NAMES, tokenType } from '../../src/core/tokens/token-type.ts';
import { allRoutes } from '../../tools/openapi/all-routes.ts';
import { tableUnder } from '../support/docs-table.ts';

const containers = TOKEN_TYPE_NAMES.flatMap((name) => tokenType(name).containers);

describe('a token type', () => {
  it('is in the table of the contract, beside its container', () => {
    const rows = tableUnder('docs/contract.md', '### Token types').flatMap(
      ([, names = '', , container = '']) =>
        [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [name, container.replaceAll('`', '')]),
    );
    expect(new Map(rows as [string, string][])).toEqual(
      new Map(TOKEN_TYPE_NAMES.map((name) => [name, tokenType(name).containers.join()])),
    );
  });

  it('has its container in the matrix of the console', () => {
    expect(new Set(DEFAULT_CONTAINERS)).toEqual(new Set(containers));
  });
});

it('a route over one subject names it as {id}, by which its record names it', () => {
  const named = allRoutes().filter(({ subject, path }) => subject !== undefined && path.includes('{'));
  for (const { operation, path } of named)
    expect([operation, path]).toEqual([operation, expect.stringContaining('{id}')]);
});
