import { readFileSync } from 'node:fs';
import { OWN_PARAMETERS } from '../../src/core/expressions/filters.ts';
import type { Parameters } from '../../src/core/expressions/parameters.ts';
import { STANDARD_PARAMETERS } from '../../src/core/expressions/standard-filters.ts';

const contract = readFileSync('docs/contract.md', 'utf8');
const section = /^### Filters\n(.*?)^### /ms.exec(contract)?.[1] ?? '';

/** The rows of a table of the section, by its heading, as the texts of their cells. */
const rowsOf = (heading: string): readonly (readonly string[])[] => {
  const table = section.slice(section.indexOf(heading)).split('\n\n')[0] ?? '';
  return table
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
};

const codesIn = (cell = ''): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

describe('the filters of the contract', () => {
  it('are the standard ones that exist, with what they take', () => {
    const documented = rowsOf(
      '| Filter                                                                 ',
    ).flatMap(([names, takes = '']) =>
      codesIn(names).map((name) => [name, takes.replaceAll('`', '')] as const),
    );
    const kindsOf = ({ positions, named }: Parameters) =>
      [
        ...positions.map(({ kind, isRequired }) => (isRequired ? kind : `[${kind}]`)),
        ...named.map((name) => `[${name}]`),
      ].join(', ') || 'none';
    const real = [...STANDARD_PARAMETERS].map(([name, kinds]) => [name, kindsOf(kinds)] as const);
    expect(documented.toSorted()).toEqual(real.toSorted());
  });

  it('are those of the service, with the names of their arguments', () => {
    const documented = rowsOf('| Filter                                              |').flatMap(([cell]) =>
      codesIn(cell).map((code) => {
        const [name = '', takes = ''] = code.replace("'path'", 'path').split(': ');
        return [name, takes] as const;
      }),
    );
    const real = [...OWN_PARAMETERS].map(
      ([name, { positions }]) => [name, positions.map((each) => each.name).join(', ')] as const,
    );
    expect(documented.toSorted()).toEqual(real.toSorted());
  });
});
