import { physicalId, physicalKeyId, physicalName } from '../../src/assembly/physical-name.ts';

it('a name that fits is the stack and the logical id', () => {
  expect(physicalName('Api', 'Tokens1234', 64)).toBe('Api-Tokens1234');
});

it('longer names are truncated and stay distinct', () => {
  const long = 'x'.repeat(80);
  const names = [physicalName('Api', `${long}1`, 64), physicalName('Api', `${long}2`, 64)];
  expect(names.map(({ length }) => length)).toEqual([64, 64]);
  expect(new Set(names).size).toBe(2);
});

it('ids have the forms of AWS and are the same at every start', () => {
  expect(physicalKeyId('Data', 'Key', false)).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(physicalKeyId('Data', 'Key', true)).toMatch(/^mrk-[0-9a-f]{32}$/);
  expect(physicalId('Api', 'Http')).toMatch(/^[0-9a-z]{10}$/);
  expect([physicalKeyId('a', 'b', true), physicalId('a', 'b')]).toEqual([
    physicalKeyId('a', 'b', true),
    physicalId('a', 'b'),
  ]);
});
