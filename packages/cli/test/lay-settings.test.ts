// Settings laid over the built app are what a synthesis with them makes.
import { parseSettings, SETTING_NAMES } from '../../../lib/settings.ts';
import { LAID, synthesized } from '../../../test/support/synthesized.ts';
import type { Stack } from '../../local-aws/src/assembly/read-assembly.ts';
import { cases, fc } from '../../test-kit/src/properties.ts';
import { whenTouched } from '../../test-kit/src/which-runs.ts';
import { laySettings, refusalOf } from '../src/packaged/lay-settings.ts';

type Chosen = Readonly<Record<string, unknown>>;

/**
 * The hash at the end of a version is made of the whole function. A start makes the layer of its
 * machine; its hash is that of the build, by which versions of the package differ.
 */
const comparable = (stacks: readonly Stack[]): unknown =>
  JSON.parse(
    JSON.stringify(stacks)
      .replaceAll(/(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g, '$1')
      .replaceAll(/(?:arm64|x86_64) (strict|lenient)/g, '$1')
      .replaceAll(/[0-9a-f]{64}\.zip/g, 'asset.zip'),
  );

/** The app of the compatibility with the rest of the settings laid over it. */
function laidOver({ clientCompatibility = 'strict', ...chosen }: Chosen): readonly Stack[] {
  const settings = parseSettings({ clientCompatibility, ...chosen });
  return synthesized({ clientCompatibility }).map((stack) => ({
    ...stack,
    template: laySettings(stack.template, settings, Object.keys(chosen)),
  }));
}

const expectEqual = (chosen: Chosen) => {
  expect(comparable(laidOver(chosen))).toEqual(comparable(synthesized(chosen)));
};

it('every setting is in the list, or refused with a reason', () => {
  const places = SETTING_NAMES.filter((name) => name !== 'architecture').map((name) => [
    name,
    name in LAID,
    refusalOf(name) !== undefined,
  ]);
  const ofPages = ['fieldsDigits', 'fieldsFonts', 'fieldsOrigins'];
  expect(places.filter(([, isLaid, isRefused]) => isLaid === isRefused).map(([name]) => name)).toEqual(
    expect.arrayContaining(ofPages),
  );
  expect(places.filter(([, isLaid, isRefused]) => isLaid === isRefused)).toHaveLength(ofPages.length);
});

it('all of them together are what a synthesis makes', () => {
  expectEqual(LAID);
});

whenTouched.it('each of them, and any of them together, are what a synthesis makes', () => {
  for (const [name, value] of Object.entries(LAID)) expectEqual({ [name]: value });
  const some = fc.subarray(Object.entries(LAID)).map((entries) => Object.fromEntries(entries));
  fc.assert(fc.property(some, expectEqual), { numRuns: cases(6) });
});

it('a function that changes has another version, and another one keeps its own', () => {
  const versionsOf = (stacks: readonly Stack[]) =>
    stacks.flatMap(({ template }) =>
      Object.entries(template.Resources).flatMap(([id, { Type }]) =>
        Type === 'AWS::Lambda::Version' ? [id] : [],
      ),
    );
  const before = versionsOf(synthesized({ clientCompatibility: 'strict' }));
  const after = versionsOf(laidOver({ proxyRedirects: 'raw' }));
  expect(after).toHaveLength(before.length);
  expect(after.filter((id) => !before.includes(id))).toEqual([
    expect.stringMatching(/^ProxyFunctionCurrentVersion/),
  ]);
  expect(versionsOf(laidOver({ proxyRedirects: 'raw' }))).toEqual(after);
});
