import { Command, Option } from 'commander';
import { IMAGES } from '../../src/core/reactors/layer.ts';
import { connectionOptions } from '../command-line/connection.ts';
import { filled } from '../command-line/values.ts';
import type { CreateCommand } from '../command-line/surroundings.ts';
import type { BundleFlags, RunFlags } from './try-reactor.ts';

const file = (name: string, does: string) => new Option(`--${name} <FILE>`, does).argParser(filled(name));
const image = () =>
  new Option('--image <IMAGE>', 'the image of the reactor').choices(IMAGES).default('node16');
const lenient = () =>
  new Option('--lenient', 'as a deployment with clientCompatibility=lenient (docs/lenient.md)');

/** `reactor` with its commands, which need no service. */
export const reactorCommand: CreateCommand = (surroundings, failed) => {
  const run = new Command('run')
    .description(
      'Runs code once, in the runtime of the service. What it prints and throws goes to standard error, its result to standard output',
    )
    .argument('<FILE>', 'the code of a reactor')
    .addOption(file('args', 'JSON of req.args, an object or array (default {})'))
    .addOption(file('configuration', 'JSON of req.configuration, an object of strings (default {})'))
    .addOption(image())
    .addOption(lenient());
  for (const option of connectionOptions()) run.addOption(option);
  run.addHelpText(
    'after',
    '\nreq.bt calls the service if --key-from, --url or --local is there; otherwise it is null.',
  );
  run.action(async (code: string) => {
    const { runReactor } = await import('./try-reactor.ts');
    if (!(await runReactor(code, run.opts<RunFlags>(), surroundings))) failed();
  });
  const bundle = new Command('bundle')
    .description(
      'Prints code in one file with the installed packages that it requires and reactors do not have',
    )
    .argument('<FILE>', 'the code of a reactor')
    .addOption(file('out', 'write the bundle to FILE'))
    .addOption(image())
    .addOption(lenient());
  bundle.action(async (code: string) => {
    const { bundleReactor } = await import('./try-reactor.ts');
    if (!(await bundleReactor(code, bundle.opts<BundleFlags>(), surroundings))) failed();
  });
  return new Command('reactor').usage('COMMAND [options]').addCommand(run).addCommand(bundle);
};
