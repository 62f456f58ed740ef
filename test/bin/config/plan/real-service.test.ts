// The normal form of a plan is that of the service: what it stores of a file is no difference.
import type { DesiredValue, LiveResource } from '../../../../bin/config/model.ts';
import { hasDifferences } from '../../../../bin/config/plan/outcome.ts';
import { planOf } from '../../../../bin/config/plan/plan-of.ts';
import { openVault } from '../../../../packages/testing/src/open-vault.ts';
import type { Vault } from '../../../../packages/testing/src/vault.ts';
import type { JsonObject } from '../../../../src/core/shared/json.ts';
import { aFile, aTenant, VERSION } from './worlds.ts';

let vault: Vault;

beforeAll(async () => {
  ({ vault } = await openVault({}));
});

/** A response as a plan reads it, with the name that the service gets later. */
const liveOf = (name: string, response: object): LiveResource => {
  const { key: _, ...body } = JSON.parse(JSON.stringify(response)) as JsonObject & { id: string };
  return { id: body.id, etag: `"${body.id}.1"`, external_id: `shop/${name}`, body };
};

const CODE = 'module.exports = async () => ({ raw: {} });\r\n// é';
const value: DesiredValue = { source: { kind: 'env', name: 'PSP' }, public: false, labelUnknown: false };

describe('a plan over a service', () => {
  it('is empty for what the service made of the same file', async () => {
    const rules = [
      {
        priority: 20,
        container: '/PCI/High/',
        transform: 'reveal' as const,
        permissions: ['token:use' as const, 'token:read' as const, 'token:use' as const],
        through: { callbacks: ['https://Shop.example:443/hooks', 'https://shop.example/hooks'] },
      },
      { priority: 3, container: '/', transform: 'mask' as const, permissions: ['token:search' as const] },
    ];
    const settle = await vault.reactors.create({ name: 'Settle', code: CODE, configuration: { url: 'x' } });
    const limited = rules.map(({ through, ...rule }) =>
      through === undefined ? rule : { ...rule, through: { ...through, reactors: [settle.id, settle.id] } },
    );
    const members = { name: 'Checkout', type: 'private' as const, expires_at: '2099-01-31T12:00:00+02:00' };
    const permissions = ['token:delete' as const, 'token:create' as const, 'token:delete' as const];
    const checkout = await vault.applications.create({ ...members, permissions, rules: limited });
    const proxy = {
      name: 'PSP',
      destination_url: 'https://API.psp.example/v1/',
      methods: ['POST' as const, 'GET' as const, 'POST' as const],
      paths: ['/b', '/a/*', '/b'],
      request_transforms: [
        { type: 'append_header' as const, name: 'Authorization', value: 'Bearer {{ configuration.KEY }}' },
        { type: 'tokenize' as const, location: '$.card', token: { type: 'token' }, optional: false },
      ],
      response_transforms: [
        { type: 'mask' as const, matcher: 'card_number' as const, replacement: '[card]', required: false },
      ],
      pass_headers: [],
      source_addresses: ['203.0.113.7', '2001:DB8::/48', '203.0.113.7/32'],
    };
    const stored = await vault.proxies.create({
      ...proxy,
      request_transforms: [...proxy.request_transforms, { type: 'reactor', reactor_id: settle.id }],
      configuration: { KEY: 'a secret of 16 characters' },
      application: { id: checkout.id },
    });
    const live = aTenant({
      applications: [liveOf('checkout', checkout)],
      proxies: [liveOf('psp', stored)],
      reactors: [liveOf('settle', settle)],
    });
    const file = aFile({
      applications: {
        checkout: {
          ...members,
          permissions,
          rules: rules.map(({ through, ...rule }) =>
            through === undefined ? rule : { ...rule, through: { ...through, reactors: ['settle'] } },
          ),
        },
      },
      proxies: {
        psp: {
          ...proxy,
          request_transforms: [...proxy.request_transforms, { type: 'reactor', reactor: 'shop/settle' }],
          configuration: new Map([['KEY', value]]),
          application: 'checkout',
        },
      },
      reactors: { settle: { code: CODE, configuration: new Map([['url', value]]) } },
    });
    const plan = planOf(file, live, { version: VERSION });
    expect(plan.problems).toEqual([]);
    expect(plan.resources.map(({ address, differences }) => ({ address, differences }))).toEqual([
      { address: 'applications/checkout', differences: [] },
      { address: 'proxies/psp', differences: [] },
      { address: 'reactors/settle', differences: [] },
    ]);
    expect(hasDifferences(plan)).toBe(false);
  });
});
