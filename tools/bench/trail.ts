// `npm run bench -- trail`: what sealing, indexing, checking and searching the audit trail cost,
// which happens after the requests: by the number of records, of tenants, and of tokens.
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createIndexStore } from '../../src/adapters/dynamodb/index-store.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/trail/index-levels.ts';
import { createIndexBuilder } from '../../src/core/trail/token-index.ts';
import { packUuid } from '../../src/core/audit/token-reference.ts';
import { PRICES } from '../../lib/prices.ts';
import { dollarsPerMillion, requestCosts } from '../costs/request-costs.ts';
import { countedUsage } from '../costs/request-tables.ts';
import { templateResources } from '../costs/template-resources.ts';
import { BUDGETS } from './budgets.ts';
import { effort } from './effort.ts';
import { report, type Budget, type Figures } from './section.ts';
import type { Written } from './trail/plant-records.ts';
import { differenceOf, NO_WORK, sumOf, TrailAccount, type Work } from './trail/trail-account.ts';

const MINUTE_MS = 60_000;
const DAY = Date.UTC(2026, 10, 2);
/** The records are of the last minutes of a day, whose index is made two hours after it. */
const MINUTES = effort(60, 2);
const START = DAY + DAY_MS - MINUTES * MINUTE_MS;
const HOURS_AFTER = effort([0, 1, 2], [0]);
const TENANT = '3e9349b8-8f46-435c-82ea-1e872cc417e6';
/** Lambda gives a function a whole processor at so many MB. */
const PROCESSOR_MB = 1_769;
/** The sealer has more memory on Lambda, but its price is the same. */
const MEMORY = { sealer: 512, operator: 1_769 };
/** A run that seals a minute begins this long after the start of the minute. */
const RUN_AFTER_MS = 125_000;

const tokens = Array.from({ length: 100 }, () => randomUUID());
const ids = (count: number) => tokens.slice(0, count);

const GET = () => ({ op: 'getToken', tokens: { reveal: ids(1) }, containers: ['/pci/high/'] });
const LIST = () => ({ op: 'listTokens', tokens: { reveal: ids(20) }, containers: ['/pci/high/'] });
const DETOKENIZE = () => ({ op: 'detokenize', tokens: { reveal: ids(100) }, containers: ['/pci/high/'] });

/** The work that the sealer and the check took. */
interface Afterwards {
  readonly sealer: Work;
  readonly check: Work;
}

const dollarsOf = ({ sealer, check }: Afterwards): number => {
  const { readUnit, writeUnit } = PRICES.infrequent;
  const units =
    (sealer.readUnits + check.readUnits) * readUnit + (sealer.writeUnits + check.writeUnits) * writeUnit;
  // A function with part of a processor takes as much longer: the price follows the processor time.
  const gigabyteSeconds = ((sealer.cpuMs + check.cpuMs) / 1_000) * (PROCESSOR_MB / 1_024);
  return units + gigabyteSeconds * PRICES.gigabyteSecond;
};

/** The runs from the hour of the records until the index of their day is made. */
async function playDay(account: TrailAccount): Promise<Afterwards> {
  let sealer = NO_WORK;
  let check = NO_WORK;
  const seal = async (now: number) => {
    sealer = sumOf(sealer, await account.run({ kind: 'seal', now }));
  };
  const verify = async (now: number) => {
    check = sumOf(check, await account.run({ kind: 'check', now }));
  };
  for (let minute = 1; minute < MINUTES; minute += 1) await seal(START + minute * MINUTE_MS + RUN_AFTER_MS);
  for (const hour of HOURS_AFTER) {
    // A run may leave the making of indexes to the next one.
    for (const minute of [0, 1])
      await seal(DAY + DAY_MS + hour * HOUR_MS + minute * MINUTE_MS + RUN_AFTER_MS);
    await verify(DAY + DAY_MS + hour * HOUR_MS + 5 * MINUTE_MS);
  }
  return { sealer, check };
}

async function inAccount<T>(use: (account: TrailAccount) => Promise<T>): Promise<T> {
  const account = await TrailAccount.open();
  try {
    return await use(account);
  } finally {
    await account.close();
  }
}

const dayOf = (written: readonly Omit<Written, 'from'>[]) =>
  inAccount(async (account) => {
    await account.plant(written.map((each) => ({ ...each, from: START })));
    return playDay(account);
  });

const less = (a: Afterwards, b: Afterwards): Afterwards => ({
  sealer: differenceOf(a.sealer, b.sealer),
  check: differenceOf(a.check, b.check),
});

const whole = (value: number) => Math.round(value).toLocaleString('en');
const dollars = (value: number) => value.toFixed(2);

/** Records of one tenant, and what they cost beyond the same runs without any. */
const HOUR = MINUTES * MINUTE_MS;
const MINUTE = MINUTE_MS;
const thousand = { perMinute: effort(1_000, 4), lengthMs: HOUR, writers: 4 };
const RATES = [
  { name: 'get, 1,000 a minute', ...thousand, entryOf: GET },
  {
    name: 'get, 1,000 a second',
    perMinute: effort(60_000, 240),
    lengthMs: MINUTE,
    writers: 32,
    entryOf: GET,
  },
  { name: 'get, 1 a minute', perMinute: 1, lengthMs: HOUR, writers: 1, entryOf: GET },
  { name: 'list 20, 1,000 a minute', ...thousand, entryOf: LIST },
  { name: 'detokenize 100, 1,000 a minute', ...thousand, entryOf: DETOKENIZE },
];
type Rate = (typeof RATES)[number];

async function rateOf({ name, perMinute, lengthMs, writers, entryOf }: Rate, idle: Afterwards) {
  const count = (perMinute * lengthMs) / MINUTE_MS;
  const spent = less(await dayOf([{ trail: TENANT, lengthMs, count, writers, entryOf }]), idle);
  const { sealer, check } = spent;
  const each = (value: number) => (value / count).toFixed(3);
  const cpu = ({ cpuMs }: Work) => `${whole((cpuMs / count) * 1000)} us`;
  const million = (dollarsOf(spent) / count) * 1e6;
  const cells = [each(sealer.calls), each(sealer.readUnits), each(sealer.writeUnits), cpu(sealer)];
  const row = [name, whole(count), ...cells, each(check.readUnits), cpu(check), dollars(million)];
  return { name, million, row };
}
type RateResult = Awaited<ReturnType<typeof rateOf>>;

/** Operations whose price has a limit, and the rate whose records are as long. */
const RECORDS_OF: Readonly<Record<keyof typeof BUDGETS.dollars, string>> = {
  'get a card': 'get, 1,000 a minute',
  'create a card': 'get, 1,000 a minute',
  'list 20 by cursor': 'list 20, 1,000 a minute',
  'detokenize 100': 'detokenize 100, 1,000 a minute',
};

/** The price of each operation as counted, and of what happens to its record afterwards. */
function priceBudgets(results: readonly RateResult[]): readonly Budget[] {
  const performance = readFileSync('docs/performance/figures.md', 'utf8');
  const costs = requestCosts(templateResources());
  return Object.entries(BUDGETS.dollars).map(([operation, limit]) => {
    const { total } = dollarsPerMillion(countedUsage(performance, operation), costs);
    const rate = RECORDS_OF[operation as keyof typeof RECORDS_OF];
    const afterwards = results.find(({ name }) => name === rate)?.million ?? NaN;
    return {
      budget: `dollars of a million, trail included: ${operation}`,
      limit: dollars(limit),
      measured: dollars(total + afterwards),
      reference: `${dollars(total)} and ${dollars(afterwards)} afterwards`,
      isMet: total + afterwards <= limit,
    };
  });
}

/** Minutes within an hour, when no indexes of hours and days are due. */
const MIDDAY = DAY + DAY_MS / 2;

/** A row of what a minute costs. */
function minuteRow(name: string, { sealer, check }: Afterwards): readonly string[] {
  const seconds = (memory: number, { cpuMs }: Work) =>
    `${((cpuMs / 1_000) * (PROCESSOR_MB / memory)).toFixed(1)} s`;
  return [
    name,
    ...[sealer.calls, sealer.readUnits, sealer.writeUnits].map(whole),
    seconds(MEMORY.sealer, sealer),
    ...[check.calls, check.readUnits].map(whole),
    seconds(MEMORY.operator, check),
    dollars(dollarsOf({ sealer, check }) * ((30 * DAY_MS) / MINUTE_MS)),
  ];
}

/** Two minutes of a deployment in which so many tenants are idle; in the second, one is not. */
const minutesOf = (idleTenants: number) =>
  inAccount(async (account) => {
    const run = async (minute: number): Promise<Afterwards> => {
      const now = MIDDAY + minute * MINUTE_MS + RUN_AFTER_MS;
      return {
        sealer: await account.run({ kind: 'seal', now }),
        check: await account.run({ kind: 'check', now }),
      };
    };
    const once = { from: MIDDAY, lengthMs: MINUTE_MS, count: 1, writers: 1, entryOf: GET };
    await account.plant(Array.from({ length: idleTenants }, () => ({ trail: randomUUID(), ...once })));
    // The next seal still follows one that names them all.
    for (const minute of [0, 1]) await run(minute);
    const idle = await run(2);
    const count = effort(60_000, 240);
    const from = MIDDAY + 3 * MINUTE_MS;
    await account.plant([{ trail: TENANT, from, lengthMs: MINUTE_MS, count, writers: 32, entryOf: GET }]);
    return { idle, busy: await run(3) };
  });

/** A minute with many pairs of tenants and shards, whose sealing is cut off again and again. */
const HEAVY = { tenants: effort(3_125, 4), writers: 32, recordsOfPair: effort(5, 2), cuts: effort(5, 1) };

async function heavyMinute(): Promise<Figures> {
  const { tenants, writers, recordsOfPair, cuts } = HEAVY;
  const count = writers * recordsOfPair;
  const minute = { from: MIDDAY, lengthMs: MINUTE_MS, count, writers, entryOf: GET };
  return inAccount(async (account) => {
    await account.plant(Array.from({ length: tenants }, () => ({ trail: randomUUID(), ...minute })));
    const task = { kind: 'seal', now: MIDDAY + RUN_AFTER_MS } as const;
    // A run that nothing interrupts needs this: the marks, and a query for each pair.
    const expected = tenants * writers;
    const rows: string[][] = [];
    let calls = 0;
    let readUnits = 0;
    for (let cut = 1; cut <= cuts; cut += 1) {
      const made = await account.cutOff(task, Math.floor((expected / (cuts + 1)) * 1.1));
      rows.push([`run ${String(cut)}, killed`, whole(made.calls), whole(made.readUnits), '']);
      [calls, readUnits] = [calls + made.calls, readUnits + made.readUnits];
    }
    const last = await account.run(task);
    rows.push([
      'last run',
      whole(last.calls),
      whole(last.readUnits),
      `${(last.elapsedMs / 1_000).toFixed(1)} s`,
    ]);
    const check = await account.run({ kind: 'check', now: task.now });
    if (check.records !== tenants * count) throw new Error(`${String(check.records)} records were verified`);
    rows.push(['together', whole(calls + last.calls), whole(readUnits + last.readUnits), '']);
    rows.push([
      'check',
      whole(check.calls),
      whole(check.readUnits),
      `${(check.elapsedMs / 1_000).toFixed(1)} s`,
    ]);
    return {
      title: 'A heavy minute',
      columns: ['', 'calls', 'read units', 'duration'],
      rows,
      note:
        `${whole(tenants * count)} records of ${whole(tenants)} tenants in ${whole(expected)} partitions. ` +
        'A killed run loses what it read since its last seal; all records are verified at the end.',
    };
  });
}

/** A year of one tenant: who saw a token, by the indexes of the days. */
const YEAR = { days: effort(365, 3), recordsOfDay: effort(27_400, 100), naming: effort(500, 5) };

async function aYear(): Promise<Figures> {
  const { days, recordsOfDay, naming } = YEAR;
  const [token = '', other = ''] = tokens;
  const start = DAY - days * DAY_MS;
  return inAccount(async (account) => {
    const index = createIndexStore(account.database.table('AuditIndex'), account.database.table('Audit'));
    const every = Math.floor((days * recordsOfDay) / naming);
    const found: Written[] = [];
    for (let day = 0; day < days; day += 1) {
      const from = start + day * DAY_MS;
      const builder = createIndexBuilder({ trail: TENANT, level: 'day', from, salt: randomBytes(16) });
      for (let at = 0; at < recordsOfDay; at += 1) {
        const isNaming = (day * recordsOfDay + at) % every === 0;
        const time = from + Math.floor((at * DAY_MS) / recordsOfDay);
        builder.add([packUuid(isNaming ? token : randomUUID())], { at: time, shard: 0 });
        // Only the records that the index leads to are ever read.
        if (isNaming)
          found.push({ trail: TENANT, from: time, lengthMs: 1, count: 1, writers: 1, entryOf: GET });
      }
      await index.insert(
        builder.build({ to: from + DAY_MS, expires: Math.floor(from / 1000) + 400 * 86_400 }),
      );
    }
    await account.plant(found);
    const search = async (name: string, tokenId: string) => {
      const { records, calls, readUnits, cpuMs, elapsedMs, peakBytes } = await account.run({
        kind: 'search',
        now: DAY,
        trail: TENANT,
        tokenId,
      });
      return [
        name,
        ...[records, calls, readUnits].map(whole),
        `${whole(cpuMs)} ms`,
        `${whole(elapsedMs)} ms`,
        `${whole(peakBytes / 1e6)} MB`,
      ];
    };
    return {
      title: 'A year of a busy tenant',
      columns: ['who-saw', 'records found', 'calls', 'read units', 'CPU', 'duration', 'most memory'],
      rows: [await search('a token of some records', token), await search('a token of none', other)],
      note: `${whole(days * recordsOfDay)} records of one tenant in ${whole(days)} days, with an index of each day; without it, every record would be read.`,
    };
  });
}

const idle = await dayOf([]);
const results: RateResult[] = [];
for (const rate of effort(RATES, RATES.slice(0, 1))) results.push(await rateOf(rate, idle));

const few = await minutesOf(0);
const many = await minutesOf(effort(10_000, 50));
const reads = (minutes: typeof few) =>
  `${Object.values(minutes)
    .map(({ sealer, check }) => whole(sealer.calls + check.calls))
    .join(' and ')} calls`;

report({
  budgets: [
    ...(results.length < RATES.length ? [] : priceBudgets(results)),
    {
      budget: 'sealing and checking a minute, with idle tenants',
      limit: 'calls as without',
      measured: reads(many),
      reference: reads(few),
      isMet: reads(many) === reads(few),
      isExact: true,
    },
  ],
  figures: [
    {
      title: 'The audit trail after the requests',
      columns: [
        'records',
        'number',
        'calls of the sealer',
        'its read units',
        'its write units',
        'its CPU',
        'read units of the check',
        'its CPU',
        'dollars a million',
      ],
      rows: results.map(({ row }) => row),
      note: 'A record each, beyond the same runs without records: seals, parts and days of the index, and the hourly check. Processor time is that of this machine, in dollars of Lambda.',
    },
    {
      title: 'A minute of the audit trail',
      columns: [
        '',
        'calls of the sealer',
        'its read units',
        'its write units',
        `at ${String(MEMORY.sealer)} MB`,
        'calls of the check',
        'its read units',
        `at ${whole(MEMORY.operator)} MB`,
        'dollars a month of such minutes',
      ],
      rows: [
        minuteRow('no requests, no tenants', few.idle),
        minuteRow('no requests, 10,000 idle tenants', many.idle),
        minuteRow('one tenant with 1,000 requests a second', few.busy),
        minuteRow('the same, and 10,000 idle tenants', many.busy),
      ],
      note: 'Without the index of the day, and the signatures of the seals (0.65 dollars a month). Both functions have 1,769 MB, a whole processor; 512 MB would be 29 % of one.',
    },
    await heavyMinute(),
    await aYear(),
  ],
});
