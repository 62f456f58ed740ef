import { Command, Option } from 'commander';
import { IMAGES } from '../../src/core/reactors/layer.ts';
import { connectionOptions } from '../command-line/connection.ts';
import { filled } from '../command-line/values.ts';
import type { CreateCommand } from '../command-line/surroundings.ts';
import type { BundleFlags } from './bundle-reactor.ts';
import type { RunFlags } from './try-reactor.ts';

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
    .addOption(file('packages', 'the packages of the code, as reactor bundle writes them'))
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
      'Prints the packages that code requires and reactors do not have, for `runtime` of a reactor',
    )
    .argument('[FILE]', 'the code of a reactor')
    .addOption(file('out', 'write the bundle to FILE'))
    .addOption(file('sbom', 'write the list of its packages to FILE, as CycloneDX'))
    .addOption(new Option('--inline', 'print the code instead, with the installed packages in it'))
    .addOption(
      file('verify', 'build the bundle in FILE again of its lock, and print its digest if it is equal'),
    )
    .addOption(image())
    .addOption(lenient());
  bundle.addHelpText(
    'after',
    '\nThe packages are those of package-lock.json beside the nearest package.json. npm installs them\nwithout their scripts.',
  );
  bundle.action(async (code: string | undefined) => {
    const { bundleReactor } = await import('./bundle-reactor.ts');
    if (!(await bundleReactor(code, bundle.opts<BundleFlags>(), surroundings))) failed();
  });
  return new Command('reactor').usage('COMMAND [options]').addCommand(run).addCommand(bundle);
};
