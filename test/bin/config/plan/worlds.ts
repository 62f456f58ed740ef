// Makes a tenant and a file for the tests of plans.
import type {
  Address,
  Desired,
  DesiredApplication,
  DesiredProxy,
  DesiredReactor,
  DesiredValue,
  Kind,
  Live,
  LiveKey,
  LiveResource,
  Plan,
  PlannedResource,
  TargetState,
} from '../../../../bin/config/model.ts';
import { planOf } from '../../../../bin/config/plan/plan-of.ts';
import type { JsonObject } from '../../../../src/core/shared/json.ts';

export const VERSION = '0.1.0';
export const READ_AT = '2026-12-01T00:00:00.000Z';

/** An id that a test can read: `idOf(7)` ends in 7. */
export const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const etagOf = (id: string): string => `"${id}.1"`;

/** The application whose key plans. */
export const SELF = idOf(1);

const RECORD: JsonObject = { tenant_id: idOf(99), created_by: SELF, created_at: '2026-11-01T00:00:00+00:00' };

export function aKey(number: number, members: JsonObject = {}): LiveKey {
  const id = idOf(number);
  const body = {
    id,
    hint: 'x7Qp',
    created_at: '2026-11-01T00:00:00+00:00',
    created_by: SELF,
    source_addresses: [],
  };
  return { etag: etagOf(id), body: { ...body, ...members } };
}

interface LiveInput {
  /** Is `shop/NAME`, or `null` for a resource made by hand. */
  readonly name: string | null;
  readonly body?: JsonObject;
  readonly keys?: readonly LiveKey[];
}

function aLive(number: number, body: JsonObject, { name, keys = [] }: LiveInput): LiveResource {
  const id = idOf(number);
  const external = name === null ? {} : { external_id: name.includes('/') ? name : `shop/${name}` };
  return { id, etag: etagOf(id), ...external, body: { id, ...RECORD, ...external, ...body }, keys };
}

export const liveApplication = (number: number, input: LiveInput): LiveResource =>
  aLive(number, { name: 'Checkout', type: 'private', permissions: [], rules: [], ...input.body }, input);

export const liveProxy = (number: number, input: LiveInput): LiveResource => {
  const body = {
    version: 1,
    name: 'PSP',
    destination_url: 'https://api.psp.example/v1',
    request_transforms: [],
    response_transforms: [],
    require_auth: true,
    source_addresses: [],
    timeout: 25,
    configuration_names: [],
  };
  return aLive(number, { ...body, ...input.body }, input);
};

export const CODE = 'module.exports = async () => ({ raw: 1 });';
/** SHA-256 of {@link CODE}, computed apart. */
export const CODE_DIGEST = 'bfa30f22ce43beae2ea166037e28a391183f1dc9c9992359e283baa22cf68a38';

export const liveReactor = (number: number, input: LiveInput): LiveResource => {
  const runtime = {
    image: 'node16',
    warm_concurrency: 1,
    node_version: '16.20.2',
    status: 'deprecated',
    outdated: false,
  };
  const body = { name: 'Settle', code_digest: CODE_DIGEST, configuration_names: [], runtime };
  const { keys: _, ...live } = aLive(number, { ...body, ...input.body }, input);
  return live;
};

/** The management application whose key plans. */
export const MANAGER: LiveResource = liveApplication(1, {
  name: null,
  body: { name: 'Pipeline', type: 'management', permissions: ['application:update', 'application:read'] },
  keys: [aKey(2, { name: 'ci' })],
});

interface World extends Partial<Pick<Live, 'applications' | 'proxies' | 'reactors'>> {
  readonly tenant?: JsonObject;
  readonly targets?: Readonly<Record<`${Address}/${string}`, TargetState>>;
}

/** A tenant that has the application that plans, and what is named. */
export function aTenant({
  applications = [],
  proxies = [],
  reactors = [],
  tenant = {},
  targets = {},
}: World = {}): Live {
  const settings = { deduplicate_tokens: false, ephemeral_proxy: true };
  const body = { id: idOf(99), name: 'Shop', settings, recovered_at: null, service_version: VERSION };
  return {
    read_at: READ_AT,
    tenant: { id: idOf(99), etag: etagOf(idOf(99)), body: { ...body, ...tenant } },
    applications: applications.some(({ id }) => id === SELF) ? applications : [MANAGER, ...applications],
    proxies,
    reactors,
    default_image: 'node16',
    self: { application_id: SELF },
    keyTargets: new Map(Object.entries(targets) as [`${Address}/${string}`, TargetState][]),
  };
}

type Entries<Entry> = Readonly<Record<string, Partial<Entry>>>;

interface File extends Partial<Pick<Desired, 'tenant' | 'removed'>> {
  readonly applications?: Entries<DesiredApplication>;
  readonly proxies?: Entries<DesiredProxy>;
  readonly reactors?: Entries<DesiredReactor>;
  readonly moved?: Readonly<Record<Address, Address>>;
}

const entries = <Entry>(all: Entries<Entry> | undefined, defaults: Entry): ReadonlyMap<string, Entry> =>
  new Map(Object.entries(all ?? {}).map(([name, entry]) => [name, { ...defaults, ...entry }]));

const noValues: ReadonlyMap<string, DesiredValue> = new Map();

/** Makes a file of the namespace `shop`. */
export function aFile({
  applications,
  proxies,
  reactors,
  moved = {},
  removed = [],
  tenant,
}: File = {}): Desired {
  return {
    namespace: 'shop',
    digest: 'd'.repeat(64),
    ...(tenant !== undefined && { tenant }),
    applications: entries<DesiredApplication>(applications, {
      name: 'Checkout',
      type: 'private',
      permissions: [],
      rules: [],
      keys: [],
    }),
    proxies: entries<DesiredProxy>(proxies, {
      name: 'PSP',
      destination_url: 'https://api.psp.example/v1',
      configuration: noValues,
      keys: [],
    }),
    reactors: entries<DesiredReactor>(reactors, { name: 'Settle', code: CODE, configuration: noValues }),
    moved: new Map(Object.entries(moved) as [Address, Address][]),
    removed,
  };
}

export const planFor = (file: Desired, tenant: Live): Plan => planOf(file, tenant, { version: VERSION });

export function resourceOf(plan: Plan, kind: Kind, name: string): PlannedResource {
  const found = plan.resources.find(({ address }) => address === `${kind}/${name}`);
  if (found === undefined) throw new Error(`the plan has no ${kind}/${name}`);
  return found;
}
