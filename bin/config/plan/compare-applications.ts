import { accessEffects, type AccessEffect } from '../../../src/core/access/access-effects.ts';
import type { Grants } from '../../../src/core/access/access-rule.ts';
import { NO_GRANTS } from '../../../src/core/access/changed-grants.ts';
import { widenedPermissions } from '../../../src/core/access/delegation.ts';
import type { JsonObject } from '../../../src/core/shared/json.ts';
import type { Difference, Gives, LiveResource, PlannedAccess, PlannedEffect } from '../model.ts';
import { picked, objectsIn } from './bodies.ts';
import { canonical, differencesOf } from './compare.ts';
import { ofService, type Around, type Compared, type NameOf } from './compared.ts';
import { APPLICATION } from './members.ts';
import { APPLICATION_MEMBERS, normalApplication, type NormalApplication, type Report } from './normal.ts';

const accessOf = (extent: AccessEffect['before'], nameOf: NameOf): PlannedAccess => {
  if (extent === undefined) return { shown: 'nothing' };
  const { transform: shown, through } = extent;
  if (through === undefined) return { shown };
  const { proxies, reactors, callbacks = [] } = through;
  return { shown, through: [...proxies.map(nameOf), ...reactors.map(nameOf), ...callbacks] };
};

const planned = (
  { container, permission, before, after, givesMore }: AccessEffect,
  nameOf: NameOf,
): PlannedEffect => ({
  ...(container !== undefined && { container }),
  permission,
  before: accessOf(before, nameOf),
  after: accessOf(after, nameOf),
  gives: givesMore ? 'more' : 'less or same',
});

/** Who newly sees what, and who no longer does. */
export const effectsOf = (before: Grants, after: Grants, nameOf: NameOf): readonly PlannedEffect[] =>
  accessEffects(before, after).map((effect) => planned(effect, nameOf));

/** Says how many rules come, change and go. */
function wordsOfRules(before: readonly JsonObject[], after: readonly JsonObject[]): string {
  const byPriority = (rules: readonly JsonObject[]) =>
    new Map(rules.map((rule) => [rule['priority'], canonical(rule)]));
  const old = byPriority(before);
  const next = byPriority(after);
  const counts = {
    added: [...next.keys()].filter((priority) => !old.has(priority)).length,
    changed: [...next].filter(([priority, rule]) => old.has(priority) && old.get(priority) !== rule).length,
    removed: [...old.keys()].filter((priority) => !next.has(priority)).length,
  };
  return Object.entries(counts)
    .flatMap(([what, count]) => (count === 0 ? [] : [`${String(count)} ${what}`]))
    .join(', ');
}

/** Members of an application that cannot change after its creation. */
const FIXED = ['type', 'expires_at'] as const;

/** A live application in its normal form. Reports what this command does not know. */
export const liveApplication = ({ body }: LiveResource, report: Report): NormalApplication | undefined =>
  normalApplication(picked(body, APPLICATION_MEMBERS), ofService(report));

/** Compares an application with its entry; `before` is absent for one to be created. */
export function compareApplications(
  before: NormalApplication | undefined,
  after: NormalApplication,
  { nameOf, report }: Omit<Around, 'hashOf'>,
): Compared {
  const empty: JsonObject = { permissions: [], rules: [] };
  const old = before?.body ?? empty;
  const next = after.body;
  if (before !== undefined)
    for (const member of FIXED)
      if (old[member] !== next[member])
        report(`${member} cannot change: remove the application, and make another one`);
  const granted = [before?.grants ?? NO_GRANTS, after.grants] as const;
  const effects = effectsOf(...granted, nameOf);
  const isMore = effects.some(({ gives }) => gives === 'more') || widenedPermissions(...granted).length > 0;
  const gives: Gives = isMore ? 'more' : 'less or same';
  const differences = differencesOf({ members: APPLICATION, before: old, after: next, nameOf }).map(
    (difference): Difference => {
      if (difference.path === 'permissions') return { ...difference, gives };
      if (difference.path !== 'rules') return difference;
      const words = wordsOfRules(objectsIn(old['rules']), objectsIn(next['rules']));
      return { path: 'rules', words, gives };
    },
  );
  return { differences, effects };
}
