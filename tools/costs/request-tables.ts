import {
  assumedMs,
  dollarsPerMillion,
  retentionDollars,
  TRACED_SHARE,
  type RequestCosts,
  type Usage,
} from './request-costs.ts';

export function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const text = (cell: string | number) => (typeof cell === 'number' ? cell.toFixed(2) : cell);
  return [columns, columns.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(text).join(' | ')} |`)
    .join('\n');
}

/** The cost of a million requests without DynamoDB. */
export function requestTable(costs: RequestCosts): string {
  const { gigabytes, logBytes } = costs.api;
  const call = { readUnits: 0, writeUnits: 0, sequential: 1, gatewayRequests: 1, reactorRuns: 0 };
  const usage: Usage = { ...call, waitsForOthers: false };
  const { gateway, lambda, logs, traces, total } = dollarsPerMillion(usage, costs);
  const bytes = `${String(logBytes.function)} bytes of the function, ${String(logBytes.gateway)} of the gateway`;
  const share = `${String(TRACED_SHARE * 100)} % of the requests`;
  return table(
    ['A million requests, without DynamoDB', 'Each', 'Dollars'],
    [
      ['API Gateway', 'one request of up to 512 KB', gateway],
      ['Lambda', `${String(assumedMs(usage))} ms (assumed) at ${String(gigabytes)} GB`, lambda],
      ['Logs', bytes, logs],
      ['Traces', costs.api.traces > 0 ? share : 'none', traces],
      ['**All of it**', '', `**${total.toFixed(2)}**`],
    ],
  );
}

/**
 * The operations in the cost tables of docs/deploy.md, by their names in
 * docs/performance/figures.md.
 */
const OPERATIONS = [
  'create a token',
  'create a card',
  'create a card with cvc',
  'create with two metadata pairs',
  'create with deduplicate_token',
  'create under an idempotency key',
  'get a card',
  'list 20 by cursor',
  'list 100 by cursor, revealed',
  'search a term with one match',
  'PATCH a card',
  'delete a card',
  'tokenize 100',
  'tokenize 25 imported cards',
  'detokenize 100',
  'proxy 1 KB',
  'stored proxy 1 KB',
  'stored proxy, a secret and a mask',
  'stored proxy, an application',
  'stored proxy, tokenize',
  'stored proxy, a reactor',
  'react',
] as const;

/**
 * Counts of warm operations from the table "On the wire" of docs/performance/figures.md, by name.
 */
export function countedUsage(performance: string, operation: string): Usage {
  const [, section = ''] = performance.split('### On the wire\n');
  const rows = section
    .slice(0, section.search(/^#/m))
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const columns = rows.find((cells) => cells.includes('operation')) ?? [];
  const row = rows.find((cells) => cells[1] === operation && cells[2] === 'warm') ?? [];
  const cell = (column: string) => {
    const value = columns.includes(column) ? row[columns.indexOf(column)] : undefined;
    if (value === undefined)
      throw new Error(`docs/performance/figures.md has no "${column}" of "${operation}"`);
    return value;
  };
  const count = (column: string) => {
    const value = cell(column).replaceAll(',', '');
    if (!/^\d+(\.\d+)?$/.test(value)) throw new Error(`"${column}" of "${operation}" is no number`);
    return Number(value);
  };
  const reactorRuns = Number(/InvokeFunction (\d+)/.exec(cell('which'))?.[1] ?? 0);
  return {
    readUnits: count('read units'),
    writeUnits: count('write units'),
    auditUnits: count('of the audit trail'),
    trailBytes: count('trail bytes stored'),
    sequential: count('in sequence'),
    kmsCalls: count('KMS'),
    gatewayRequests: 1,
    reactorRuns,
    waitsForOthers: operation.includes('proxy') || reactorRuns > 0,
  };
}

/** The cost of a million of each common operation. */
export function operationTable(performance: string, costs: RequestCosts): string {
  return table(
    [
      'A million of',
      'Read units',
      'Write units',
      'Audit units',
      'DynamoDB',
      'Audit trail',
      'Lambda',
      'Logs, traces',
      'All, with API Gateway',
      'Over retention',
    ],
    OPERATIONS.map((operation) => {
      const usage = countedUsage(performance, operation);
      const { database, audit, lambda, logs, traces, total } = dollarsPerMillion(usage, costs);
      const { readUnits, writeUnits, auditUnits = 0 } = usage;
      const units = [readUnits, writeUnits - auditUnits, auditUnits].map(String);
      const stored = retentionDollars(usage.trailBytes ?? 0);
      return [operation, ...units, database, audit, lambda, logs + traces, total, stored];
    }),
  );
}
