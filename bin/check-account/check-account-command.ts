import { Command, Option } from 'commander';
import { filled } from '../command-line/values.ts';
import type { CreateCommand } from '../command-line/surroundings.ts';
import type { AccountFlags } from './check-account.ts';

const MORE = `
Run it before the first deployment, and again after it. It reads the account with the AWS
credentials and the Region of the environment, and makes and deletes one function, to meet the rules
that an organisation has about functions of reactors.`;

export const checkAccountCommand: CreateCommand = (surroundings, failed) => {
  const command = new Command('check-account')
    .argument('[APP]', 'the folder with the synthesized app that would be deployed', 'cdk.out')
    .addOption(
      new Option(
        '--stage <NAME>',
        'the stage of APP, such as Production, if APP is the app of a pipeline',
      ).argParser(filled('stage')),
    )
    .addOption(new Option('--no-try', 'make no function'))
    .addOption(new Option('--json', 'print the checks as JSON'))
    .addHelpText('after', MORE);
  return command.action(async (app: string) => {
    const { checkAccount } = await import('./check-account.ts');
    if (!(await checkAccount(app, command.opts<AccountFlags>(), surroundings))) failed();
  });
};
