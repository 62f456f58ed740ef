import { runCommand } from '../../../functions/operator/commands.ts';
import { COMMAND_NAMES, COMMANDS, FLAGS, flagsOf } from '../../../functions/operator/command-names.ts';
import type { OperatorDeps } from '../../../functions/operator/dependencies.ts';

/** Dependencies that no command gets to use: what reaches them has passed the checks. */
const deps = new Proxy(
  {},
  {
    get() {
      throw new Error('the command runs');
    },
  },
) as OperatorDeps;

const TENANT = '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11';
const SOME_VALUES = {
  name: 'Shop',
  tenant: TENANT,
  confirm: TENANT,
  start: true,
  invocation: TENANT,
  limit: 5,
};

const payloadOf = (name: (typeof COMMAND_NAMES)[number]) => ({
  command: name,
  ...Object.fromEntries(flagsOf(name).map((flag) => [FLAGS[flag].member, SOME_VALUES[flag]])),
});

describe('an operator command', () => {
  it.each(COMMAND_NAMES)('%s runs with the flags that the command line sends', async (name) => {
    await expect(runCommand(deps, payloadOf(name))).rejects.toThrow('the command runs');
  });

  it.each(COMMAND_NAMES.filter((name) => COMMANDS[name].needs.length > 0))(
    '%s is refused without the flags that it needs',
    async (name) => {
      const members = COMMANDS[name].needs.map((flag) => FLAGS[flag].member);
      await expect(runCommand(deps, { command: name })).rejects.toMatchObject({
        code: 'validation_failed',
        message: `Missing or wrong in the payload: ${members.join(', ')}.`,
      });
    },
  );

  it.each([
    [{ command: 'reseal', tenant_id: 'x' }],
    [{ command: 'list-parked-deliveries', limit: 0 }],
    [{ command: 'toString' }],
    [{}],
    [undefined],
  ])('%j is refused', async (payload) => {
    await expect(runCommand(deps, payload)).rejects.toHaveProperty(
      'message',
      expect.stringMatching(/^Missing or wrong in the payload: [a-z_, ]+\.$/),
    );
  });
});
