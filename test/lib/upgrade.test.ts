// Upgrades and rollbacks between the last release and today, by CloudFormation's rules. If a test
// fails, each finding says what to do (docs/deploy.md#upgrade-roll-back).
import { readFileSync } from 'node:fs';
import {
  describeFinding,
  isNote,
  type FindingKind,
} from '../../packages/local-aws/src/deployment/finding.ts';
import { playDeployment } from '../../packages/local-aws/src/deployment/play-deployment.ts';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { mergePatch } from '../../src/core/tokens/merge-patch.ts';
import type { Json } from '../../src/core/shared/json.ts';
import { RELEASE_SETTINGS } from '../../tools/templates/release-settings.ts';
import { SETTING_NAMES } from '../../lib/settings.ts';
import { ALL_ON, LAID, synthesized } from '../support/synthesized.ts';

const released = JSON.parse(readFileSync('test/lib/last-release.json', 'utf8')) as Readonly<
  Record<string, Json>
>;

/** The stacks of the last release under some settings; all but the first are stored as patches. */
function releasedStacks(name: string): Stack[] {
  const { default: first = {}, [name]: stored = {} } = released;
  const templates = name === 'default' ? first : mergePatch(first, stored);
  return Object.entries(templates as unknown as Readonly<Record<string, Stack['template']>>).map(
    ([stack, template]) => ({ name: stack, template }),
  );
}

const today = (name: string): Stack[] => {
  const { settings, region } = RELEASE_SETTINGS[name] ?? { settings: {}, region: '' };
  return synthesized(settings, region);
};

/** Returns what a deployment does, except for the kinds of findings that are no obstacle to it. */
const findings = (
  deployed: readonly Stack[],
  next: readonly Stack[],
  harmless: readonly FindingKind[] = [],
) =>
  playDeployment(deployed, next)
    .filter(({ kind }) => !harmless.includes(kind))
    .map(describeFinding);

const names = Object.keys(RELEASE_SETTINGS);

it('the last release is stored under twelve settings', () => {
  expect(Object.keys(released)).toEqual(names);
  expect(names).toHaveLength(12);
});

it.each(names)('an upgrade from the last release is not refused and loses nothing: %s', (name) => {
  expect(findings(releasedStacks(name), today(name))).toEqual([]);
});

it.each(names)('a rollback to the last release is not refused and loses nothing: %s', (name) => {
  // New tables and keys stay for the next upgrade.
  expect(findings(today(name), releasedStacks(name), ['left_behind'])).toEqual([]);
});

it.each([
  ['of another architecture', 'x86'],
  ['of lenient mode', 'lenient'],
  ['of e-mail and logs', 'watched'],
  ['of the throughput', 'warm'],
  ['of canary deployments', 'canary'],
])('a change %s, and back, is not refused and loses nothing', (_what, name) => {
  const plain = today('default');
  const changed = today(name);
  expect(findings(plain, changed)).toEqual([]);
  expect(findings(changed, plain)).toEqual([]);
});

describe('a setting that is switched on, and off again,', () => {
  const REGION = 'eu-west-1';
  /** The settings of each deployment that follows one without any, and before it. */
  const CHANGES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    ...Object.fromEntries(
      Object.entries(RELEASE_SETTINGS).flatMap(([name, { settings, region }]) =>
        region === REGION && !('serviceName' in settings) ? [[name, settings]] : [],
      ),
    ),
    laid: LAID,
    all: ALL_ON,
  };
  const off = synthesized({}, REGION);

  it('is each one but the name of a deployment, and the fonts, which are in files alone', () => {
    const changed = new Set(Object.values(CHANGES).flatMap((settings) => Object.keys(settings)));
    const others = SETTING_NAMES.filter((name) => !changed.has(name));
    expect(others).toEqual(['serviceName', 'fieldsFonts']);
  });

  it.each(Object.keys(CHANGES))('is not refused and loses nothing: %s', (name) => {
    const on = synthesized(CHANGES[name], REGION);
    const everything = synthesized(ALL_ON, REGION);
    const found = [off, everything].flatMap((other) => [
      ...playDeployment(other, on),
      ...playDeployment(on, other),
    ]);
    expect(found.filter((each) => !isNote(each)).map(describeFinding)).toEqual([]);
  });
});

it('a reactor layer with other content is noticed if the version of its function stays', () => {
  const changed = structuredClone(today('default'));
  const layer = changed
    .flatMap(({ template }) => Object.values(template.Resources))
    .find(({ Type }) => Type === 'AWS::Lambda::LayerVersion');
  Object.assign(layer?.Properties['Content'] as object, { S3Key: 'another.zip' });
  expect(findings(today('default'), changed)).toEqual([
    expect.stringMatching(/^interrupted: Cloakroom-Reactors, ReactorsFunctionCurrentVersion/),
  ]);
});

it('a change of the domain, and back, says that callers lose an address', () => {
  const plain = today('default');
  const domain = today('domain');
  const kinds = (deployed: readonly Stack[], next: readonly Stack[]) =>
    playDeployment(deployed, next).map(({ kind, subject }) => [kind, subject.replace(/[0-9A-F]{8}$/, '')]);
  expect(kinds(plain, domain)).toEqual([['address_lost', 'Api']]);
  expect(kinds(domain, plain)).toEqual([['address_lost', 'Domain']]);
});

it('no stack exports a value, which CloudFormation would not let go while another one imports it', () => {
  for (const name of names)
    expect(
      today(name)
        .flatMap(({ template }) => Object.values(template.Outputs))
        .filter((output) => 'Export' in output),
    ).toEqual([]);
});
