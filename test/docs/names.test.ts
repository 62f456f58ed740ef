import { readFileSync } from 'node:fs';
import { PERMISSION_NAMES } from '../../src/core/access/permission.ts';
import { ALIAS_FILTERS, MASKING_FILTERS, OWN_FILTERS } from '../../src/core/expressions/filters.ts';
import { tokenIdProblem } from '../../src/core/tokens/token-id.ts';
import { allRoutes } from '../../tools/openapi/all-routes.ts';

/** The names in code marks of a section of docs/contract.md, up to their arguments. */
function namesIn(heading: string): readonly string[] {
  const text = readFileSync('docs/contract.md', 'utf8');
  const [, section = ''] = text.split(`\n### ${heading}\n`);
  const table = section.slice(0, section.search(/^#/m));
  return [...table.matchAll(/^\| ([^|]*)\|([^|]*)/gm)].flatMap(([, first = '', second = '']) =>
    [...(heading === 'Filters' ? first : second).matchAll(/`([\w:]+)/g)].map(([, name = '']) => name),
  );
}

it('docs/contract.md lists exactly the filters that an id may use', () => {
  const text = readFileSync('docs/contract.md', 'utf8');
  const [sentence = ''] = /An `id` expression may use only the alias filters and [^.]*\./.exec(text) ?? [];
  const [, ...names] = [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(names.toSorted()).toEqual(MASKING_FILTERS.toSorted());
  const aliases = [...OWN_FILTERS.keys()].filter((name) => name.startsWith('alias_'));
  expect(ALIAS_FILTERS.toSorted()).toEqual(aliases.toSorted());
});

it('docs/contract.md lists exactly the permissions', () => {
  const names = namesIn('Permissions').filter((name) => name !== 'public');
  // `application:` and `reactor:` with `create`, `read`, ...
  const [groups, verbs] = [/^\w+:$/, /^\w+$/].map((form) => names.filter((name) => form.test(name)));
  const whole = names.filter((name) => /^\w+:\w+$/.test(name));
  const combined = groups?.flatMap((group) => verbs?.map((verb) => group + verb) ?? []) ?? [];
  expect([...whole, ...combined].toSorted()).toEqual([...PERMISSION_NAMES].toSorted());
});

it('no token can have the id of a fixed path below /tokens', () => {
  const fixed = allRoutes().flatMap(({ path }) => /^\/tokens\/([^{/]+)/.exec(path)?.[1] ?? []);
  expect(fixed).not.toEqual([]);
  expect(fixed.filter((name) => tokenIdProblem(name) === undefined)).toEqual([]);
});
