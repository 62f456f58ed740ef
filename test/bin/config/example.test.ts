// The setup of examples/config, in two environments, reviewed by a key that learns no secret.
import { openVault } from '../../../packages/testing/src/open-vault.ts';
import type { Vault } from '../../../packages/testing/src/vault.ts';
import { commandLine } from '../../support/command-line.ts';
import { aSecretsManager } from '../../support/fakes/secrets.ts';

const FILE = 'examples/config/cloakroom.yaml';
const SECRET = 'sk_live_0123456789abcdef';

interface Environment {
  readonly vault: Vault;
  readonly manager: ReturnType<typeof aSecretsManager>;
}

async function anEnvironment(): Promise<Environment> {
  const { vault } = await openVault({});
  return { vault, manager: aSecretsManager({ 'shop/psp': SECRET }) };
}

const run = ({ vault, manager }: Environment, key: string, args: readonly string[]) =>
  commandLine(['config', ...args, '--file', FILE], {
    environment: { CLOAKROOM_URL: vault.baseUrl, CLOAKROOM_API_KEY: key },
    fetch: vault.fetch,
    secretValues: manager.secrets,
  });

const reviewerOf = async ({ vault }: Environment) =>
  (
    await vault.applications.create({
      name: 'review',
      type: 'management',
      permissions: ['application:read', 'proxy:review', 'reactor:review', 'tenant:read'],
    })
  ).key;

/** The names and rights of an environment, without ids and times. */
async function stateOf({ vault }: Environment) {
  const { data: applications } = await vault.applications.list({ size: 100 });
  const managed = applications.filter(({ external_id: name }) => name?.startsWith('shop/'));
  return managed.map(({ external_id: name, permissions, rules, id }) => ({
    name,
    id,
    rights: JSON.stringify([permissions, rules.map(({ through: _, ...rule }) => rule)]),
  }));
}

describe('the example of a shop', () => {
  it('is reviewed by a key without secrets, and makes two environments from one file', async () => {
    const environments = [await anEnvironment(), await anEnvironment()];
    for (const environment of environments) {
      const reviewer = await reviewerOf(environment);
      const before = await run(environment, reviewer, ['plan', '--exit-code']);
      expect([before.exitCode, before.err]).toEqual([4, '']);
      expect(before.out).toContain('through proxies/psp, reactors/settle');

      const applied = await run(environment, environment.vault.managementKey, ['apply', '--yes']);
      expect([applied.exitCode, applied.err]).toEqual([0, '']);
      const after = await run(environment, reviewer, ['plan', '--exit-code']);
      expect([after.exitCode, after.err]).toEqual([0, '']);
      for (const { out } of [before, applied, after]) expect(out).not.toContain(SECRET);
      for (const name of ['page', 'support']) {
        const { key } = JSON.parse(environment.manager.textOf(`shop/${name}`) ?? '{}') as {
          readonly key: string;
        };
        expect(after.out + applied.out).not.toContain(key);
        expect(await environment.vault.client({ apiKey: key }).permissions.list()).not.toEqual([]);
      }
    }
    const [one, other] = await Promise.all(environments.map(stateOf));
    expect(one?.map(({ name, rights }) => [name, rights])).toEqual(
      other?.map(({ name, rights }) => [name, rights]),
    );
    expect(one?.some(({ id }) => other?.some((each) => each.id === id))).toBe(false);
  });
});
