import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { connectionOptions } from '../command-line/connection.ts';
import { filled } from '../command-line/values.ts';
import type { ConfigSurroundings } from './config-surroundings.ts';
import { PACKAGE } from './package-folder.ts';
import type { ApplyFlags, PlanFlags } from './run-config.ts';
import type { ExportFlags } from './export/export-config.ts';

const FILE = 'cloakroom.yaml';

const fileOption = () =>
  new Option('--file <FILE>', 'the configuration').default(FILE).argParser(filled('file'));

const lockoutOption = () =>
  new Option(
    '--yes-lockout',
    'also if the tenant has no manager afterwards, or the application of the key has less rights',
  );

function withConnection(command: Command): Command {
  for (const option of connectionOptions()) command.addOption(option);
  return command;
}

function planCommand(surroundings: ConfigSurroundings, failed: (exitCode?: number) => void): Command {
  const plan = withConnection(
    new Command('plan')
      .description('Says what differs between a file and the tenant, and who may see more; writes nothing')
      .addOption(fileOption())
      .addOption(
        new Option('--out <PLAN>', 'write the plan to a new file, for apply').argParser(filled('out')),
      )
      .addOption(new Option('--json', 'print JSON'))
      .addOption(new Option('--exit-code', 'exit with 3 for differences, and 4 if some give more'))
      .addOption(lockoutOption()),
  );
  plan.addHelpText(
    'after',
    '\nThe key needs the permissions application:read, reactor:review, proxy:review and tenant:read.',
  );
  return plan.action(async () => {
    const { runPlan } = await import('./run-config.ts');
    const exitCode = await runPlan(plan.opts<PlanFlags>(), surroundings);
    if (exitCode !== 0) failed(exitCode);
  });
}

function applyCommand(surroundings: ConfigSurroundings, failed: () => void): Command {
  const apply = withConnection(
    new Command('apply')
      .description('Makes the tenant as the file says. Run it again to go on after a failure')
      .argument('[PLAN]', 'what plan --out has written; needed where the variable CI is set')
      .addOption(fileOption())
      .addOption(new Option('--yes', 'do not ask'))
      .addOption(lockoutOption())
      .addOption(new Option('--allow-file', 'write keys to files also where the variable CI is set')),
  );
  return apply.action(async (plan: string | undefined) => {
    const { runApply } = await import('./run-config.ts');
    if (!(await runApply(plan, apply.opts<ApplyFlags>(), surroundings))) failed();
  });
}

function exportCommand(surroundings: ConfigSurroundings): Command {
  const command = withConnection(
    new Command('export')
      .description(`Writes ${FILE} of a tenant that was made by hand, without any secret`)
      .addOption(
        new Option('--to <FOLDER>', 'a folder without such a file').default('.').argParser(filled('to')),
      ),
  );
  return command.action(async () => {
    const { runExport } = await import('./export/export-config.ts');
    await runExport(command.opts<ExportFlags>(), surroundings);
  });
}

/** `config` with its commands, which call a service as clients. */
export const configCommand = (
  surroundings: ConfigSurroundings,
  failed: (exitCode?: number) => void,
): Command => {
  const schema = new Command('schema')
    .description(`Prints the JSON schema of ${FILE}`)
    .action(() => surroundings.print(readFileSync(join(PACKAGE, 'schema.json'), 'utf8')));
  return new Command('config')
    .usage('COMMAND [options]')
    .addCommand(planCommand(surroundings, failed))
    .addCommand(applyCommand(surroundings, failed))
    .addCommand(exportCommand(surroundings))
    .addCommand(schema);
};
