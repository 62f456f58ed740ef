import { runCommand as runInOperator } from '../../../functions/operator/run-command.ts';
import { runCommand as runInAccess } from '../../../functions/operator-access/run-command.ts';
import {
  COMMAND_NAMES,
  COMMANDS,
  FLAGS,
  flagsOf,
  IMAGE_NAMES,
  isSent,
} from '../../../src/operator/command-names.ts';
import { IMAGES } from '../../../src/core/reactors/layer.ts';
import { runnerOf } from '../../support/runner-of.ts';

/** Dependencies that no command uses: input that reaches them has passed the checks. */
const deps = new Proxy(
  {},
  {
    get() {
      throw new Error('the command runs');
    },
  },
) as never;

const RUNNERS = { operator: runInOperator, 'operator-access': runInAccess };

/** Sends a payload to the function that runs its command. */
const runCommand = (payload: unknown): Promise<unknown> => RUNNERS[runnerOf(payload)](deps, payload);

const TENANT = '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11';
const SOME_VALUES = {
  name: 'Shop',
  tenant: TENANT,
  confirm: TENANT,
  'wrapped-by': 'kms',
  expires: '7d',
  start: true,
  invocation: TENANT,
  'older-than': '90d',
  'unused-for': '30d',
  limit: 5,
  token: 'a-token',
  form: 'reveal',
  'without-index': true,
  from: '2026-01-01',
  to: '2026-02-01',
  index: true,
  key: 'a key',
  image: 'node16',
  generation: 3,
  instances: 3,
  none: false,
  'dry-run': true,
  outdated: true,
  package: '@scope/name@1.2.3',
  seal: 'x'.repeat(43),
};

const payloadOf = (name: (typeof COMMAND_NAMES)[number]) => ({
  command: name,
  ...Object.fromEntries(
    flagsOf(name)
      .filter(isSent)
      .map((flag) => [FLAGS[flag].member, SOME_VALUES[flag]]),
  ),
});

it('the images of commands are those that reactors can run on', () => {
  expect(IMAGE_NAMES).toEqual(IMAGES);
});

describe('an operator command', () => {
  it.each(COMMAND_NAMES)('%s runs in one function, and the other one refuses it', async (name) => {
    const other = COMMANDS[name].runsIn === 'operator' ? runInAccess : runInOperator;
    await expect(other(deps, payloadOf(name))).rejects.toMatchObject({
      code: 'validation_failed',
      message: `The function ${COMMANDS[name].runsIn} runs ${name}.`,
    });
  });

  it('runs in the function operator-access if it gives access to a tenant, or destroys it', () => {
    const access = COMMAND_NAMES.filter((name) => COMMANDS[name].runsIn === 'operator-access');
    expect(access).toEqual(['create-tenant', 'create-management-key', 'destroy-tenant']);
  });

  it.each(COMMAND_NAMES)('%s runs with the flags that the command line sends', async (name) => {
    await expect(runCommand(payloadOf(name))).rejects.toThrow('the command runs');
  });

  it.each(COMMAND_NAMES.filter((name) => COMMANDS[name].needs.length > 0))(
    '%s is rejected without its required flags',
    async (name) => {
      const members = COMMANDS[name].needs.filter(isSent).map((flag) => FLAGS[flag].member);
      await expect(runCommand({ command: name })).rejects.toMatchObject({
        code: 'validation_failed',
        message: `Missing or invalid in the payload: ${members.join(', ')}.`,
      });
    },
  );

  it.each(['who-saw', 'verify-audit', 'export-audit'] as const)(
    '%s runs for the trail of records without a tenant',
    async (name) => {
      const payload = { ...payloadOf(name), tenant_id: 'deployment' };
      await expect(runCommand(payload)).rejects.toThrow('the command runs');
    },
  );

  it.each([
    [{ command: 'reencrypt', tenant_id: 'deployment' }],
    [{ command: 'rotate-keys', tenant_id: 'deployment' }],
    [{ command: 'who-saw', token_id: 'x', tenant_id: 'deployments' }],
    [{ command: 'reencrypt', tenant_id: 'x' }],
    [{ command: 'rewrap-roots', wrapped_by: 'hsm' }],
    [{ command: 'rewrap-roots', tenant_id: 'deployment' }],
    [{ command: 'create-tenant', name: 'x', wrapped_by: '' }],
    [{ command: 'list-deliveries', limit: 0 }],
    [{ command: 'list-reactors', package: 'node-forge@^1.3.0' }],
    [{ command: 'list-reactors', package: 'a'.repeat(501) }],
    [{ command: 'toString' }],
    [{}],
    [undefined],
  ])('%j is rejected', async (payload) => {
    await expect(runCommand(payload)).rejects.toHaveProperty(
      'message',
      expect.stringMatching(/^Missing or invalid in the payload: [a-z_, ]+\.$/),
    );
  });
});
