import { readFileSync } from 'node:fs';
import { rotationDollars } from '../../tools/costs/idle-table.ts';
import { PRICES } from '../../lib/prices.ts';
import { floodTable } from '../../tools/costs/flood-table.ts';
import { countedUsage, requestTable } from '../../tools/costs/request-tables.ts';
import { dollarsPerMillion, requestCosts, retentionDollars } from '../../tools/costs/request-costs.ts';
import type { Resource } from '../../tools/costs/template-resources.ts';
import { synthesized } from '../support/synthesized.ts';

type Properties = Record<string, any>;

const templates = synthesized().flatMap(({ template }) => Object.values(template.Resources));
/** The resources of the templates, with the properties of one type changed. */
const changed = (type: string, change: (properties: Properties) => void): readonly Resource[] => {
  const resources = structuredClone(templates);
  for (const { Type, Properties } of resources) if (Type === type) change(Properties);
  return resources;
};
const STAGE = 'AWS::ApiGatewayV2::Stage';
const FUNCTION = 'AWS::Lambda::Function';

const request = { readUnits: 0, writeUnits: 0, sequential: 1, gatewayRequests: 1, reactorRuns: 0 };
const dollarsOf = (resources: readonly Resource[], more: object = {}) =>
  dollarsPerMillion({ ...request, waitsForOthers: false, ...more }, requestCosts(resources));

describe('the costs of a million requests', () => {
  it('count the bytes of a real log line, and 26 more', () => {
    const { api } = requestCosts(templates);
    const line = {
      level: 'info',
      timestamp: '2026-11-22T18:40:43.123Z',
      traceId: 'x'.repeat(36),
      operation: 'createToken',
      status: 200,
      milliseconds: 12,
      tenantId: 'x'.repeat(36),
      applicationId: 'x'.repeat(36),
    };
    expect(api.logBytes.function).toBe(JSON.stringify(line).length + 26);
  });

  it('are the sum of their parts', () => {
    const { total, ...parts } = dollarsOf(templates, { readUnits: 2, writeUnits: 3 });
    expect(Object.values(parts).reduce((sum, dollars) => sum + dollars, 0)).toBeCloseTo(total, 9);
    expect(parts.database).toBeCloseTo(2 * 0.125 + 3 * 0.625, 9);
    expect(parts.gateway).toBe(1);
  });

  it('rise with the format of the access log, by the bytes of the field', () => {
    const field = '"more":"$context.status",';
    const longer = changed(STAGE, ({ AccessLogSettings: settings }) => {
      settings.Format = settings.Format.replace('{', `{${field}`);
    });
    const before = dollarsOf(templates);
    const after = dollarsOf(longer);
    const bytes = field.replace('$context.status', '200').length;
    expect(after.logs - before.logs).toBeCloseTo(((1e6 * bytes) / 2 ** 30) * PRICES.logGigabyte, 9);
  });

  it('have no line of the gateway without an access log', () => {
    const without = changed(STAGE, (properties) => delete properties['AccessLogSettings']);
    expect(requestCosts(without).api.logBytes.gateway).toBe(0);
  });

  it('have no traces without tracing', () => {
    const untraced = changed(FUNCTION, (properties) => delete properties['TracingConfig']);
    expect(dollarsOf(templates).traces).toBeCloseTo(0.25, 9);
    expect(dollarsOf(untraced).traces).toBe(0);
    expect(requestTable(requestCosts(untraced))).toContain('| Traces | none | 0.00 |');
  });

  it('rise with the memory of the functions', () => {
    const larger = changed(FUNCTION, (properties) => (properties['MemorySize'] *= 2));
    const before = dollarsOf(templates);
    const after = dollarsOf(larger);
    const requests = PRICES.lambdaRequest * 1e6;
    expect(after.lambda - requests).toBeCloseTo(2 * (before.lambda - requests), 9);
  });

  it('have no line and no request of the gateway behind a queue', () => {
    const queued = dollarsOf(templates, { gatewayRequests: 0 });
    expect(queued.gateway).toBe(0);
    expect(queued.logs).toBeLessThan(dollarsOf(templates).logs);
  });

  it.each<[what: string, resources: readonly Resource[], message: RegExp]>([
    [
      'a variable of the access log that has no typical value',
      changed(STAGE, ({ AccessLogSettings: settings }) => (settings.Format = '$context.path')),
      /no typical value of \$context\.path/,
    ],
    [
      'functions that differ in memory',
      changed(FUNCTION, (properties) => {
        if (properties['Description'] === 'Tokens') properties['MemorySize'] = 2048;
      }),
      /differ in memory or tracing/,
    ],
    [
      'a function on another processor',
      changed(FUNCTION, (properties) => (properties['Architectures'] = ['x86_64'])),
      /is not on arm64/,
    ],
    ['templates without an API', [], /0 stages of the API/],
  ])('are rejected for %s', (_what, resources, message) => {
    expect(() => requestCosts(resources)).toThrow(message);
  });
});

describe('the rotation of KMS keys', () => {
  it('costs a dollar more a month after the first and the second rotation, and no more after later ones', () => {
    // KMS rotates only one of the two keys, the one that encrypts.
    expect([1, 2, 3, 4, 10].map((year) => rotationDollars(templates, year))).toEqual([0, 1, 2, 2, 2]);
  });
});

describe('the stored trail', () => {
  it('costs its storage and its backup until it expires', () => {
    const table = templates.find(
      ({ Type, Properties }) =>
        Type === 'AWS::DynamoDB::Table' &&
        Properties['TableClass'] === 'STANDARD_INFREQUENT_ACCESS' &&
        Properties['TimeToLiveSpecification'] !== undefined,
    ) as { readonly Properties: Properties } | undefined;
    expect(table?.Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true);
    // A gigabyte costs 0.10 dollars a month for 400 days, and 0.20 for its recovery.
    expect(retentionDollars(2 ** 30 / 1e6)).toBeCloseTo((400 / (365 / 12)) * 0.3, 9);
    expect(retentionDollars(0)).toBe(0);
  });
});

describe('the counts of the benchmark', () => {
  const [performance, storage] = ['docs/performance/figures.md', 'docs/storage.md'].map((file) =>
    readFileSync(file, 'utf8'),
  ) as [string, string];

  it.each([
    ['create a token'],
    ['create a card'],
    ['create a card with cvc'],
    ['create with two metadata pairs'],
    ['create with deduplicate_token'],
    ['create under an idempotency key'],
    ['get a card', 'get a token'],
    ['list 20 by cursor'],
    ['search a term with one match'],
    ['delete a card'],
    ['tokenize 100', 'tokenize 100 values'],
    ['detokenize 100', 'detokenize 100 tokens'],
  ])('have the units of "%s" that docs/storage.md states', (operation, promised = operation) => {
    const row = storage.split('\n').find((line) => line.startsWith(`| ${promised} `));
    const { readUnits, writeUnits } = countedUsage(performance, operation);
    expect(readUnits + writeUnits).toBe(Number(row?.split('|')[4]));
  });

  it('are read from the row of the warm operation', () => {
    expect(countedUsage(performance, 'tokenize 100')).toMatchObject({
      writeUnits: 402,
      auditUnits: 2,
      waitsForOthers: false,
    });
    expect(countedUsage(performance, 'react')).toMatchObject({ reactorRuns: 1, waitsForOthers: true });
  });

  it.each([
    ['an operation', performance.replaceAll('| create a card ', '| create some card '), /"create a card"/],
    ['a column', performance.replace('| write units |', '| units |'), /no "write units"/],
    [
      'a number',
      performance.replace(/(\| create a card +\| warm .*?)\d+ +\| 0 /, '$1? | 0 '),
      /is no number/,
    ],
    [
      'the table',
      performance.replace('### On the wire', '### Elsewhere'),
      /docs\/performance\/figures\.md has no/,
    ],
  ])('are rejected without %s', (_what, text, message) => {
    expect(() => countedUsage(text, 'create a card')).toThrow(message);
  });
});

it('a flood is priced for each kind of caller, by the templates and the counted units', () => {
  const performance = readFileSync('docs/performance/figures.md', 'utf8');
  const cells = floodTable(performance, requestCosts(templates))
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const dollarsOfRow = (who: string, by: string) => cells.find((row) => row[1] === who && row[2] === by)?.[5];
  // 1,000 instances of a gigabyte, for an hour.
  const slow = 1_000 * 3_600 * PRICES.gigabyteSecond;
  expect(dollarsOfRow('a private key', 'calls of a destination that takes 25 s')).toBe(slow.toFixed(2));
  const unknownKey = dollarsOf(templates, { readUnits: 2 }).total;
  expect(dollarsOfRow('anyone', '401')).toBe((3.6 * unknownKey).toFixed(2));
  expect(dollarsOfRow('`reactor:create`', '100 reactors, called once a week')).toBe('0.60');
});
