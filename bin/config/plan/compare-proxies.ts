import type { JsonObject } from '../../../src/core/shared/json.ts';
import type { DesiredValue, LiveResource } from '../model.ts';
import { objectsIn, picked, textIn } from './bodies.ts';
import { differencesOf, differencesOfTransforms } from './compare.ts';
import { differencesOfValues } from './compare-values.ts';
import { NOTHING, ofService, type Around, type Compared, type ExpectedHash } from './compared.ts';
import { PROXY } from './members.ts';
import { checkProxyConfiguration, normalProxy, PROXY_MEMBERS, type Report } from './normal.ts';

/** Fills in the hash that the service fills in. */
function pinned(transform: JsonObject, path: string, hashOf: ExpectedHash, report: Report): JsonObject {
  if (transform['type'] !== 'reactor') return transform;
  const hash = hashOf(textIn(transform, 'reactor_id') ?? '');
  const sent = transform['code_hash'];
  if (sent !== undefined && hash !== undefined && sent !== hash)
    report(`${path}.code_hash is not that of the reactor's code: leave it out`);
  return hash === undefined ? transform : { ...transform, code_hash: hash };
}

const NEW_PROXY: JsonObject = {
  request_transforms: [],
  response_transforms: [],
  require_auth: true,
  source_addresses: [],
  timeout: 25,
};

const SIDES = ['request_transforms', 'response_transforms'] as const;

/** Compares a proxy with its entry, whose request has ids in place of references. */
export function compareProxies(
  live: LiveResource | undefined,
  wanted: JsonObject,
  configuration: ReadonlyMap<string, DesiredValue>,
  { nameOf, hashOf, report }: Around,
): Compared {
  checkProxyConfiguration([...configuration.keys()], report);
  const after = normalProxy(wanted, report);
  const before =
    live === undefined ? NEW_PROXY : normalProxy(picked(live.body, PROXY_MEMBERS), ofService(report));
  if (before === undefined || after === undefined) return NOTHING;
  const transforms = SIDES.flatMap((side) =>
    differencesOfTransforms(
      side,
      objectsIn(before[side]),
      objectsIn(after[side]).map((each, at) => pinned(each, `${side}[${String(at)}]`, hashOf, report)),
      nameOf,
    ),
  );
  const without = (body: JsonObject) =>
    picked(
      body,
      PROXY_MEMBERS.filter((member) => !SIDES.some((side) => side === member)),
    );
  const members = differencesOf({ members: PROXY, before: without(before), after: without(after), nameOf });
  return {
    differences: [...members, ...differencesOfValues(live?.body ?? {}, configuration), ...transforms],
    effects: [],
  };
}
