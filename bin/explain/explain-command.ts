import { Command, Option } from 'commander';
import type { AccessQuestion, Explanation } from '../../packages/sdk/src/index.ts';
import { connectionOptions, type ConnectionFlags } from '../command-line/connection.ts';
import { UsageError } from '../command-line/failures.ts';
import { filled } from '../command-line/values.ts';
import { readJson } from '../command-line/read-json.ts';
import { callService, type ServiceSurroundings } from '../command-line/service-call.ts';
import { printable, show } from '../command-line/show.ts';

const PERMISSIONS = ['create', 'read', 'search', 'update', 'delete', 'use'].map((right) => `token:${right}`);

interface Flags extends ConnectionFlags {
  readonly permission?: AccessQuestion['permission'];
  readonly container?: string;
  readonly application?: string;
  readonly rules?: string;
  readonly reactor?: string;
  readonly callbackUrl?: string;
  readonly proxy?: string;
  readonly json?: true;
}

/** Returns the one destination of `token:use` that the command line names. */
function throughOf({ reactor, callbackUrl, proxy }: Flags): Pick<AccessQuestion, 'through'> {
  if (reactor !== undefined && proxy !== undefined)
    throw new UsageError('--reactor and --proxy exclude each other');
  if (callbackUrl !== undefined && reactor === undefined)
    throw new UsageError('--callback-url needs the --reactor that calls it');
  if (proxy !== undefined) return { through: { proxies: [proxy] } };
  if (reactor === undefined) return {};
  return {
    through: { reactors: [reactor], ...(callbackUrl !== undefined && { callback_url: callbackUrl }) },
  };
}

async function questionOf(flags: Flags, surroundings: ServiceSurroundings): Promise<AccessQuestion> {
  const { permission, container, application, rules } = flags;
  if (permission === undefined) throw new UsageError("required option '--permission <NAME>' not specified");
  if (container === undefined) throw new UsageError("required option '--container <PATH>' not specified");
  if ((application === undefined) === (rules === undefined))
    throw new UsageError('name either --application or --rules');
  const who =
    application === undefined ? await readJson(rules, surroundings) : { application_id: application };
  return { ...who, permission, container, ...throughOf(flags) };
}

function linesOf({ allowed, transform, decided_by: { rule }, steps }: Explanation): string {
  const nameOf = (decider: typeof rule) =>
    typeof decider === 'number' ? `rule ${String(decider)}` : decider;
  const rows = [
    { name: 'allowed', text: String(allowed) },
    { name: 'transform', text: String(transform) },
    { name: 'decided_by', text: String(nameOf(rule)) },
    ...steps.map(({ rule: of, matched, because }) => ({
      name: nameOf(of) ?? 'the tenant',
      text: `${matched === true ? 'matches' : matched === false ? 'does not match' : 'unknown'}: ${because}`,
    })),
  ];
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows.map(({ name, text }) => `${printable(`${name.padEnd(width)}  ${text}`)}\n`).join('');
}

const single = (flags: string, does: string) => {
  const option = new Option(flags, does);
  return option.argParser(filled(option.name()));
};

/** `explain` asks what an application, or rules that none has, may do in a container, and why. */
export function explainCommand(surroundings: ServiceSurroundings): Command {
  const explain = new Command('explain')
    .usage('--permission NAME --container PATH (--application ID | --rules FILE) [options]')
    .addOption(new Option('--permission <NAME>', 'the permission on tokens').choices(PERMISSIONS))
    .addOption(single('--container <PATH>', 'a container of a token, such as /pci/high/'))
    .addOption(single('--application <ID>', 'an application of the tenant'))
    .addOption(
      single(
        '--rules <FILE>',
        'JSON with permissions and rules that no application needs to have (- is standard input)',
      ),
    )
    .addOption(single('--reactor <ID>', 'for token:use: the reactor that gets the data'))
    .addOption(single('--callback-url <URL>', 'beside --reactor: the address of the result'))
    .addOption(single('--proxy <ID>', 'for token:use: the stored proxy that gets the data'));
  for (const option of connectionOptions()) explain.addOption(option);
  return explain.addOption(new Option('--json', 'print JSON')).action(async () => {
    const flags = explain.opts<Flags>();
    const question = await questionOf(flags, surroundings);
    const explanation = await callService(flags, surroundings, async (client) =>
      client.access.explain(question),
    );
    surroundings.print(flags.json === true ? show({ ...explanation }, true) : linesOf(explanation));
  });
}
