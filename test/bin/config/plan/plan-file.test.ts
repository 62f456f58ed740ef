import { planFileText, readPlanFile } from '../../../../bin/config/plan/plan-file.ts';
import { aFile, aKey, aTenant, idOf, liveApplication, planFor } from './worlds.ts';

const RULES = [{ priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] }];
const to = { kind: 'file', name: 'key.json' } as const;
const plan = planFor(
  aFile({
    applications: {
      checkout: { rules: [], permissions: ['token:read'], keys: [{ name: 'k', to }], adopt: idOf(3) },
      fresh: { rules: RULES },
    },
  }),
  aTenant({
    applications: [
      liveApplication(3, { name: null, body: { rules: RULES }, keys: [aKey(4, { name: 'k' })] }),
    ],
    targets: { 'applications/checkout/k': { state: 'empty' } },
  }),
);
const url = 'https://vault.example';
const text = planFileText({ url, plan });

/** Reads the file after a change of its JSON. */
function changed(change: (file: { [member: string]: unknown; plan: Record<string, unknown> }) => void) {
  const file = JSON.parse(text) as { [member: string]: unknown; plan: Record<string, unknown> };
  change(file);
  return () => readPlanFile(JSON.stringify(file));
}

describe('a plan file', () => {
  it('returns the plan that was written', () => {
    expect(plan.resources.map(({ action }) => action)).toEqual(['adopt', 'create']);
    expect(readPlanFile(text)).toEqual({ url, plan });
  });

  it('is refused if it is no plan file of this command', () => {
    expect(() => readPlanFile('{')).toThrow('the plan file is no JSON');
    expect(changed((file) => (file['cloakroom_plan'] = 2))).toThrow('cloakroom_plan has another form');
    expect(changed((file) => (file['url'] = 'file:///etc'))).toThrow('url has another form');
    expect(changed((file) => (file['more'] = 1))).toThrow('its content has another form');
    expect(changed(({ plan: of }) => delete of['digest'])).toThrow('plan.digest has another form');
  });

  it.each([
    ['an action without an id', { id: undefined }],
    ['an unknown action', { action: 'destroy' }],
    ['an address of another form', { address: 'applications/../x' }],
    ['a tag of another form', { etag: 'W/"x"' }],
    ['a former address without a rename', { from: 'applications/old' }],
    [
      'a key without a target',
      { keys: [{ step: 'create', name: 'k', replaces: [], differences: [], gives: 'more' }] },
    ],
    [
      'a key to change without an id',
      { keys: [{ step: 'change', name: 'k', replaces: [], differences: [], gives: 'more' }] },
    ],
  ])('is refused with %s', (_, members) => {
    const [first, ...others] = plan.resources;
    expect(changed(({ plan: of }) => (of['resources'] = [{ ...first, ...members }, ...others]))).toThrow(
      /^the plan file is not one of this command: plan\.resources\.0/,
    );
  });
});
