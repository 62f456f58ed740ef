import {
  packagesIn,
  packagesProblem,
  readBundleFile,
  sentPackages,
} from '../../console/src/reactors/packages.ts';

const fileOf = (value: unknown) =>
  new File([typeof value === 'string' ? value : JSON.stringify(value)], 'charge.json');

describe('a file of packages', () => {
  it('becomes the members that are sent, and no part of the comparison of two edits', async () => {
    const sent = { dependencies: { lodash: '4.17.21' }, bundle: 'QUFB' };
    const chosen = await readBundleFile(fileOf({ ...sent, other: 1 }));
    expect(sentPackages(chosen)).toEqual(sent);
    expect(JSON.stringify(chosen)).not.toContain('QUFB');
    expect(JSON.stringify(chosen)).not.toBe(JSON.stringify(await readBundleFile(fileOf(sent))));
    expect([sentPackages('same'), sentPackages('none')]).toEqual([{}, { dependencies: {} }]);
  });

  it.each([
    ['module.exports = () => 1;'],
    [''],
    [[]],
    [null],
    [{ bundle: 'QUFB' }],
    [{ dependencies: {}, bundle: 1 }],
    [{ dependencies: ['a'], bundle: 'QUFB' }],
    [{ dependencies: { a: 1 }, bundle: 'QUFB' }],
  ])('is refused before it is sent if it has another form: %j', async (value) => {
    await expect(readBundleFile(fileOf(value))).rejects.toThrow('The file is no bundle');
  });

  it('is not read if it is larger than any bundle', async () => {
    const text = () => Promise.reject(new Error('read'));
    await expect(readBundleFile({ name: 'a', size: 5_000_001, text })).rejects.toThrow(
      'The file has 5,000,001 bytes, and no bundle has so many.',
    );
  });
});

describe('a refusal by the service', () => {
  it('is beside the field if it is about packages', () => {
    const problem = { title: 'Bad Request', code: 'validation_failed', detail: '', traceId: undefined };
    const fields = [
      ['runtime.bundle', 'is not allowed'],
      ['runtime.dependencies.a', 'is wrong'],
      ['runtime.bundled', 'is unknown'],
      ['runtime.image', 'is closed'],
    ] as const;
    expect(packagesProblem({ ...problem, fields })).toBe(
      'runtime.bundle is not allowed; runtime.dependencies.a is wrong',
    );
    expect(packagesProblem({ ...problem, fields: [] })).toBeUndefined();
    expect(packagesProblem(undefined)).toBeUndefined();
  });
});

describe('the packages of a bill of materials', () => {
  it('are sorted, and each version is there once', () => {
    const component = (name: string, version: string, licence?: string) => ({
      type: 'library' as const,
      'bom-ref': `node_modules/${name}`,
      name,
      version,
      purl: 'pkg:npm/x',
      ...(licence !== undefined && { licenses: [{ license: { name: licence } }] }),
    });
    const bill = {
      components: [
        component('b', '1.0.0', 'MIT'),
        component('@s/a', '2.0.0'),
        component('b', '1.0.0', 'MIT'),
        component('b', '0.9.0', 'ISC'),
      ],
    };
    expect(packagesIn(bill)).toEqual([
      { name: '@s/a', version: '2.0.0', licence: '' },
      { name: 'b', version: '0.9.0', licence: 'ISC' },
      { name: 'b', version: '1.0.0', licence: 'MIT' },
    ]);
  });
});
