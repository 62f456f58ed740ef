import { Command, Option } from 'commander';
import { connectionOptions } from '../command-line/connection.ts';
import { filled } from '../command-line/values.ts';
import type { CreateCommand } from '../command-line/surroundings.ts';
import type { CheckFlags } from './check-upgrade.ts';

const MORE = `
Reads the deployed stacks with the AWS credentials and the Region of the environment, and changes
nothing. With a key it also reads the stored proxies of the tenant of the key.`;

const stageOption = (name: string, app: string) =>
  new Option(
    `--${name} <NAME>`,
    `the stage of ${app}, such as Production, if ${app} is the app of a pipeline`,
  ).argParser(filled(name));

export const checkUpgradeCommand: CreateCommand = (surroundings, failed) => {
  const command = new Command('check-upgrade')
    .argument('[TO]', 'the folder with the synthesized app that would be deployed', 'cdk.out')
    .argument('[FROM]', 'the folder with another app, in place of what runs in the AWS account')
    .addOption(stageOption('stage', 'TO'))
    .addOption(stageOption('from-stage', 'FROM'));
  for (const option of connectionOptions()) command.addOption(option);
  command.addOption(new Option('--json', 'print the findings as JSON')).addHelpText('after', MORE);
  return command.action(async (to: string, from: string | undefined) => {
    const { checkUpgrade } = await import('./check-upgrade.ts');
    const flags = command.opts<CheckFlags>();
    if (!(await checkUpgrade({ to, ...(from !== undefined && { from }) }, flags, surroundings))) failed();
  });
};
