import { Command, Option } from 'commander';
import type { LogQuery, LogRecord } from '../../packages/sdk/src/index.ts';
import { connectionOptions, type ConnectionFlags } from '../command-line/connection.ts';
import { limitOf, limitOption } from '../command-line/limit.ts';
import { filled } from '../command-line/values.ts';
import { callService, firstOf, type ServiceSurroundings } from '../command-line/service-call.ts';
import { printable, show } from '../command-line/show.ts';

/** Each filter is a parameter of `GET /logs`. */
const FILTERS = [
  ['token', 'ID', 'token_id', 'only records that name this token'],
  ['application', 'ID', 'application_id', 'only of requests of this application'],
  ['proxy', 'ID', 'proxy_id', 'only of calls through this stored proxy'],
  ['operation', 'NAME', 'operation', 'only of this operation, such as getToken'],
  ['outcome', 'OUTCOME', 'outcome', 'only of this outcome: begun, ok, refused, invalid or failed'],
  ['form', 'FORM', 'form', 'only records that saw a token so, such as reveal'],
  ['from', 'TIME', 'from', 'only from this time on, ISO 8601'],
  ['to', 'TIME', 'to', 'only before this time, ISO 8601'],
] as const;

type Flags = ConnectionFlags & {
  readonly limit?: number;
  readonly json?: true;
} & Readonly<Partial<Record<(typeof FILTERS)[number][0], string>>>;

/** The service examines many records for a page, and returns those that match. */
const PAGE_SIZE = 100;

const queryOf = (flags: Flags): LogQuery => ({
  size: Math.min(limitOf(flags), PAGE_SIZE),
  ...Object.fromEntries(
    FILTERS.flatMap(([name, , member]) => (flags[name] === undefined ? [] : [[member, flags[name]]])),
  ),
});

/** Shows a record in one line: when, what, how it ended, who, and which tokens. */
function row(record: LogRecord): string {
  const { created_at: at, operation, outcome, status, credential, application_id: application } = record;
  const tokens = (record.tokens ?? []).map(({ id, form }) => `${id} ${form}`);
  const cells = [at, operation, outcome, status, application, credential, record.resource, ...tokens];
  return printable(cells.filter((cell) => cell !== undefined).join('  '));
}

/** `logs` reads the audit trail of the tenant. */
export function logsCommand(surroundings: ServiceSurroundings): Command {
  const logs = new Command('logs').usage('[options]');
  for (const [name, value, , does] of FILTERS)
    logs.addOption(new Option(`--${name} <${value}>`, does).argParser(filled(name)));
  logs.addOption(limitOption());
  for (const option of connectionOptions()) logs.addOption(option);
  return logs.addOption(new Option('--json', 'print JSON')).action(async () => {
    const flags = logs.opts<Flags>();
    const records = await callService(flags, surroundings, (client) =>
      firstOf(client.logs.list(queryOf(flags)), limitOf(flags)),
    );
    surroundings.print(
      flags.json === true
        ? show({ data: records }, true)
        : records.map((record) => `${row(record)}\n`).join(''),
    );
  });
}
