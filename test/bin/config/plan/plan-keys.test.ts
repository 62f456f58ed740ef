import type { DesiredKey, LiveKey, PlannedResource, TargetState } from '../../../../bin/config/model.ts';
import { aFile, aKey, aTenant, idOf, liveApplication, planFor, resourceOf } from './worlds.ts';

const RULES = [{ priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] }];
const TO = { kind: 'aws-secret', name: 'prod/checkout' } as const;
const ENTRY: DesiredKey = { name: '2026-12', to: TO };

interface Input {
  readonly keys?: readonly DesiredKey[];
  readonly live?: readonly LiveKey[];
  readonly target?: TargetState;
  readonly removed?: readonly `keys/applications/checkout/${string}`[];
  readonly name?: string;
}

function plan({ keys = [ENTRY], live = [], target, removed = [], name = 'Checkout' }: Input) {
  const file = aFile({ applications: { checkout: { rules: RULES, keys, name } }, removed });
  const tenant = aTenant({
    applications: [liveApplication(3, { name: 'checkout', body: { rules: RULES }, keys: live })],
    ...(target !== undefined && { targets: { 'applications/checkout/2026-12': target } }),
  });
  return planFor(file, tenant);
}

const checkout = (input: Input): PlannedResource => resourceOf(plan(input), 'applications', 'checkout');
const steps = (input: Input) =>
  checkout(input).keys.map(({ step, id, replaces, gives }) => ({
    step,
    id,
    replaces: replaces.map((each) => each.id),
    gives,
  }));
const problems = (input: Input) => plan(input).problems.map(({ words }) => words);

const NAMED = aKey(4, { name: '2026-12' });
const stored = (number: number): TargetState => ({ state: 'stored', key_id: idOf(number) });

describe('a plan of a key', () => {
  const nothing = { id: undefined, replaces: [] };

  it('is in order only if its target has the id of a living key', () => {
    expect(steps({ live: [NAMED], target: stored(4) })).toEqual([
      { ...nothing, step: 'none', id: idOf(4), gives: 'less or same' },
    ]);
    expect(steps({ live: [NAMED], target: stored(5) })).toEqual([
      { step: 'replace', id: undefined, replaces: [idOf(4)], gives: 'more' },
    ]);
    expect(steps({ live: [NAMED], target: { state: 'empty' } })).toEqual([
      { step: 'replace', id: undefined, replaces: [idOf(4)], gives: 'more' },
    ]);
    expect(steps({ live: [], target: { state: 'empty' } })).toEqual([
      { ...nothing, step: 'create', gives: 'more' },
    ]);
    const ended = aKey(4, { name: '2026-12', expires_at: '2026-11-30T23:59:59+00:00' });
    expect(steps({ live: [ended], target: stored(4) })).toEqual([
      { ...nothing, step: 'create', gives: 'more' },
    ]);
  });

  it('is unknown, and no difference, if its target cannot be read', () => {
    expect(steps({ live: [NAMED] })).toEqual([
      { ...nothing, step: 'unknown', id: idOf(4), gives: 'less or same' },
    ]);
    expect(checkout({ live: [NAMED] }).action).toBe('none');
    expect(steps({ live: [] })).toEqual([{ ...nothing, step: 'create', gives: 'more' }]);
  });

  it('changes name, end and networks, and says which of it gives more', () => {
    const live = aKey(4, {
      name: 'old',
      expires_at: '2027-06-01T00:00:00+00:00',
      source_addresses: ['10.0.0.0/8'],
    });
    const changes = (members: Partial<DesiredKey>) => {
      const [key] = checkout({ keys: [{ ...ENTRY, ...members }], live: [live], target: stored(4) }).keys;
      return { step: key?.step, differences: key?.differences.map(({ path, gives }) => `${path}: ${gives}`) };
    };
    expect(changes({ expires_at: '2027-01-01', source_addresses: ['10.2.0.0/16', '10.1.2.3'] })).toEqual({
      step: 'change',
      differences: ['name: less or same', 'expires_at: less or same', 'source_addresses: less or same'],
    });
    expect(changes({ source_addresses: ['10.0.0.0/8', '192.0.2.1'] })).toEqual({
      step: 'change',
      differences: ['name: less or same', 'expires_at: more', 'source_addresses: more'],
    });
  });

  it('is named by its id, and states no more than it says', () => {
    const live = [aKey(4, { name: 'hand', source_addresses: ['10.0.0.0/8'] })];
    expect(steps({ keys: [{ id: idOf(4) }], live })).toEqual([
      { ...nothing, step: 'none', id: idOf(4), gives: 'less or same' },
    ]);
    expect(steps({ keys: [{ id: idOf(4), name: 'other' }], live })).toMatchObject([{ step: 'change' }]);
    expect(problems({ keys: [{ id: idOf(5) }], live })).toEqual([
      `keys name ${idOf(5)}, which is no living key`,
    ]);
  });

  it('is deleted only by removed, by its name or its id', () => {
    const live = [NAMED, aKey(5, { name: '2026-11' }), aKey(6)];
    const input = { live, target: stored(4) };
    expect(checkout(input).keys).toHaveLength(1);
    const removed = ['keys/applications/checkout/2026-11', `keys/applications/checkout/${idOf(6)}`] as const;
    expect(steps({ ...input, removed }).slice(1)).toEqual([
      { step: 'delete', id: idOf(5), replaces: [], gives: 'less or same' },
      { step: 'delete', id: idOf(6), replaces: [], gives: 'less or same' },
    ]);
  });

  it('makes every difference give more while a key is unnamed', () => {
    const input = { live: [NAMED, aKey(6, { created_by: idOf(8) })], target: stored(4), name: 'New' };
    const { notes, differences } = checkout(input);
    expect(notes).toEqual([
      `has a key that the file does not name: without a name (ends in x7Qp, id ${idOf(6)}, made by ${idOf(8)})`,
    ]);
    expect(differences).toEqual([{ path: 'name', words: 'Checkout -> New', gives: 'more' }]);
    expect(checkout({ ...input, live: [NAMED] }).differences).toMatchObject([{ gives: 'less or same' }]);
  });

  it('is not made again after its end', () => {
    expect(steps({ keys: [{ ...ENTRY, expires_at: '2026-11-01' }], target: stored(4) })).toEqual([
      { ...nothing, step: 'none', gives: 'less or same' },
    ]);
  });

  it('is refused without a target, twice, or beside its removal', () => {
    expect(problems({ keys: [{ name: 'x' }] })).toEqual(['keys has an entry without `to` and without `id`']);
    expect(problems({ keys: [ENTRY, ENTRY] })).toEqual([
      'keys go to aws-secret:prod/checkout, as those of applications/checkout do',
      'keys has 2026-12 twice',
    ]);
    expect(problems({ removed: ['keys/applications/checkout/2026-12'] })).toEqual([
      'keys has 2026-12, which is removed',
    ]);
    expect(problems({ keys: [{ ...ENTRY, source_addresses: ['10.0.0.1/8'] }] })).toEqual([
      'source_addresses[0] must not have bits behind its prefix: 10.0.0.0/8',
    ]);
  });
});
