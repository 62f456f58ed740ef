import { isJsonObject, type JsonObject } from '../../../src/core/shared/json.ts';
import type { Desired, Live, PlannedTenant } from '../model.ts';
import { picked } from './bodies.ts';
import { differencesOf } from './compare.ts';
import { unknownMembers } from './live-members.ts';
import { TENANT } from './members.ts';
import { type Report } from './normal.ts';

/** A lenient deployment shows settings as text. */
const settingsOf = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(isJsonObject(body['settings'] ?? null) ? (body['settings'] as JsonObject) : {}).map(
      ([name, value]) => [name, value === true || value === 'true'],
    ),
  );

/** Plans name and settings of the tenant. What the file does not name stays as it is. */
export function planTenant({ tenant = {} }: Desired, { tenant: live }: Live, report: Report): PlannedTenant {
  for (const path of unknownMembers(TENANT, live.body))
    report(`has a member that this command does not know: ${path}`);
  const has = settingsOf(live.body);
  const wanted = tenant.settings ?? {};
  const unknown = Object.keys(wanted).filter((name) => !Object.hasOwn(has, name));
  for (const name of unknown) report(`settings.${name} is not a setting of this service`);
  const before = { ...picked(live.body, ['name']), settings: has };
  const after = {
    ...before,
    ...(tenant.name !== undefined && { name: tenant.name }),
    settings: { ...has, ...picked(wanted, Object.keys(has)) },
  };
  const differences = differencesOf({ members: TENANT, before, after, nameOf: (id) => id });
  return {
    id: live.id,
    etag: live.etag,
    action: differences.length > 0 ? 'update' : 'none',
    differences,
    gives: differences.some(({ gives }) => gives === 'more') ? 'more' : 'less or same',
  };
}
