// The list of rights has a row for each service whose resources a deployment makes.
import { readFileSync } from 'node:fs';
import { ALL_ON, DOMAIN, synthesized } from '../support/synthesized.ts';

const servicesOf = (settings: object) =>
  synthesized({ ...settings }, 'eu-west-1').flatMap(({ template }) =>
    Object.values(template.Resources).flatMap(({ Type }) => /^AWS::\w+/.exec(Type)?.[0] ?? []),
  );

it('the rights for a deployment name each service of the templates, and no other one', () => {
  const text = readFileSync('docs/deploy.md', 'utf8');
  const section = /^### Rights for a deployment\n(.*?)^#/ms.exec(text)?.[1] ?? '';
  const listed = [...section.matchAll(/^\| `(AWS::\w+)`/gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual([...new Set([...servicesOf(ALL_ON), ...servicesOf(DOMAIN)])].toSorted());
});
