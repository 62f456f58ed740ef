import { STORED_PROXY_LIMITS } from '../../../src/core/stored-proxies/stored-proxy.ts';
import type { StrictClient } from '../../../test/support/http-client.ts';
import { anEvent } from '../an-event.ts';
import { BODY_MAX_BYTES, type HostileRequest } from './body-route.ts';
import { answerAt, type HostileAnswer } from './hostile-answers.ts';

/** A call through a stored proxy whose writer, destination or caller makes it dear. */
interface HostileCall {
  readonly name: string;
  readonly proxy: object;
  /** Configurations that the proxy had before, oldest first. */
  readonly before?: readonly Readonly<Record<string, string>>[];
  readonly answer?: HostileAnswer;
  readonly body?: (bytes: number) => string;
}

const times = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const TWENTY = STORED_PROXY_LIMITS.transforms;

const filled = (unit: string) => (bytes: number) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
const inString = (unit: string) => (bytes: number) => `"${filled(unit)(bytes - 2)}"`;
const inArray = (unit: string) => (bytes: number) => `[${filled(`${unit},`)(bytes - 20)}0]`;
const numbered = (unit: (at: number) => string, units: number) => () => `{${times(units, unit).join(',')}}`;

/** JSON in strings in strings, so deep. */
function nested(value: string, depth: number): string {
  return depth === 0 ? value : JSON.stringify(nested(value, depth - 1));
}

const maskingCards = (count: number) => ({
  response_transforms: times(count, () => ({ type: 'mask', matcher: 'card_number', replacement: 'x' })),
});
const masking = (expressions: readonly string[], more: object = {}) => ({
  response_transforms: expressions.map((expression) => ({
    type: 'mask',
    matcher: 'regex',
    expression,
    replacement: 'x',
    ...more,
  })),
});

/** Answers for masks of card numbers, each dear for another reason. */
const FOR_CARDS: readonly (HostileAnswer & { readonly name: string })[] = [
  { name: 'a form of 0&0&', type: 'application/x-www-form-urlencoded', text: filled('0&') },
  { name: 'a form of 0=0&', type: 'application/x-www-form-urlencoded', text: filled('0=0&') },
  { name: 'a form of %30&', type: 'application/x-www-form-urlencoded', text: filled('%30&') },
  {
    name: 'a form of UTF-8 in percent',
    type: 'application/x-www-form-urlencoded',
    text: filled('%EF%BC%94'),
  },
  { name: 'percent signs', type: 'text/plain', text: filled('%') },
  { name: 'percent and digits', type: 'text/plain', text: filled('%34') },
  { name: 'percent of percent', type: 'text/plain', text: filled('%25') },
  { name: 'unfinished UTF-8 in percent', type: 'text/plain', text: filled('%E2%82') },
  { name: 'references of digits', type: 'text/html', text: filled('&#52;') },
  { name: 'long references', type: 'text/html', text: filled(`&#${'0'.repeat(500_000)}52;`) },
  { name: 'references without an end', type: 'text/html', text: filled('&#1') },
  { name: '&nbsp;', type: 'text/html', text: filled('4&nbsp;') },
  { name: '& alone', type: 'text/html', text: filled('4&') },
  { name: 'lines that are no JSON', type: 'application/x-ndjson', text: filled('{123456789012}\n') },
  {
    name: 'long lines that are no JSON',
    type: 'application/x-ndjson',
    text: filled(`{${'"a",'.repeat(500)}4}\n`),
  },
  { name: 'lines of JSON', type: 'application/x-ndjson', text: filled('{"a":4242424242424242}\n') },
  {
    name: 'records between lines of text',
    type: 'application/x-ndjson',
    text: (bytes) => {
      const lines = filled('{"a":"abcdefghijkl"}\nabcdefghijkl\n')(600_000);
      return `${lines}${'y'.repeat(bytes - lines.length)}`;
    },
  },
  { name: 'lines of escapes', type: 'text/plain', text: filled('{"a":"\\u0034242424242424242"}\n') },
  { name: 'escapes of JSON', text: inString('\\u0034') },
  { name: 'JSON in strings', text: (bytes) => inArray(nested('{"a":"4242424242424242"}', 4))(bytes) },
  { name: 'JSON in strings that is none', text: inArray(JSON.stringify(`{"a":"${'\\u0034'.repeat(12)}`)) },
  { name: 'escaped percent', text: inString('\\u0025\\u0034') },
  { name: 'card numbers', type: 'text/plain', text: filled('4242424242424242,') },
  { name: 'numbers that overlap', type: 'text/plain', text: filled('4242 ') },
  { name: 'UUIDs', type: 'text/plain', text: filled('42424242-4242-4242-4242-424242424242 ') },
  { name: 'almost UUIDs', type: 'text/plain', text: filled('42424242-4242-4242-4242-42424242424g ') },
  { name: 'full-width digits', type: 'text/plain', text: filled('４２') },
];

/** The dearest expressions that the bounds accept. */
const REGEXES: Readonly<Record<string, (at: number) => string>> = {
  'wide ranges under i': (at) => `(?i)a${String(at)}${'[B-\\x{7A0F}]'.repeat(15)}!`,
  'the widest range under i': (at) => `(?i)a${String(at)}[A-\\x{7A120}]!`,
  repetitions: (at) => `a${String(at)}(?s).{0,900}!`,
  'categories under i': (at) => `(?i)a${String(at)}[${'\\pL\\pN'.repeat(12)}]!`,
  'many categories': (at) => `a${String(at)}${'\\PL'.repeat(24)}!`,
  alternatives: (at) => `a${String(at)}(?:${times(110, (n) => `[b-x]${String(n)}`).join('|')})!`,
  groups: (at) => `${'('.repeat(400)}a${String(at)}${')'.repeat(400)}`,
  'classes of one': (at) => `a${String(at)}${'[^a]'.repeat(240)}`,
};

const SECRETS_MAX = STORED_PROXY_LIMITS.configuration;
/** Secrets that differ in their ends alone, so that the window of a search is that of all. */
const alike = (from: number, count: number, length = 16) =>
  Object.fromEntries(
    times(count, (at) => {
      const end = String(from + at).padStart(4, '0');
      return [`A${String(at)}`, `${'0'.repeat(length - end.length)}${end}`];
    }),
  );
const secrets = (from: number, count: number) =>
  Object.fromEntries(
    times(count, (at) => [`A${String(at)}`, `secret_${String(from + at).padStart(6, '0')}_0123456789`]),
  );

/** Fifty changes, each of which retires two secrets. */
const FIFTY_CHANGES = times(50, (at) => secrets(1_000 + at * 2, 2));
const ALIKE_BEFORE = [alike(1_000, SECRETS_MAX), alike(2_000, SECRETS_MAX)];
const NEAR = filled(`${times(50, (at) => `secret_${String(at).padStart(6, '0')}_012345678`).join(' ')} `);

const appends = { response_transforms: [{ type: 'append_json', location: '$.zz', value: 0 }] };
const deep = (at: number) => `$${'.a'.repeat(50)}.m${String(at)}`;

// oxlint-disable-next-line max-lines-per-function -- a table: one row for each call
function calls(large: readonly string[]): readonly HostileCall[] {
  const manyHeaders = Object.fromEntries(times(25, (at) => [`X-A${String(at)}`, NEAR(2_000)]));
  return [
    ...FOR_CARDS.flatMap((answer) =>
      [1, 3].map((count) => ({
        name: `${String(count)} masks of cards: ${answer.name}`,
        proxy: maskingCards(count),
        answer,
      })),
    ),
    ...Object.entries(REGEXES).flatMap(([name, expression]): readonly HostileCall[] => [
      { name: `regex, ${name}`, proxy: masking(times(TWENTY, expression)), answer: { text: () => '{}' } },
      {
        name: `regex on 6 MB, ${name}`,
        proxy: masking(times(TWENTY, expression)),
        answer: { text: inString('a0xxLL') },
      },
    ]),
    {
      name: 'regex that reads to the end',
      proxy: masking(times(TWENTY, () => 'b[^!]*!|a')),
      answer: { text: inString('ab') },
    },
    { name: 'regex that matches all', proxy: masking(['[^\\n]']), answer: { text: filled('é') } },
    {
      name: 'twenty appended headers from two tokens of 2.9 MB',
      proxy: {
        request_transforms: times(TWENTY, (at) => ({
          type: 'append_header',
          name: `X-A${String(at)}`,
          value: large.map((id) => `{{ ${id} | truncate: 10 }}`).join(''),
        })),
      },
      answer: { text: () => '{}' },
    },
    {
      name: 'twenty JSON values from two tokens of 2.9 MB',
      proxy: {
        request_transforms: times(TWENTY, (at) => ({
          type: 'append_json',
          location: `$.m${String(at)}`,
          value: large.map((id) => `{{ ${id} | truncate: 10 }}`),
        })),
      },
      body: () => '{}',
    },
    {
      name: 'twenty values at deep locations',
      proxy: {
        response_transforms: times(TWENTY, (at) => ({ type: 'append_json', location: deep(at), value: 0 })),
      },
      answer: {
        text: (bytes) => `${'{"a":'.repeat(50)}{"b":${inArray('0')(bytes - 800)}}${'}'.repeat(50)}`,
      },
    },
    {
      name: 'three values at deep locations',
      proxy: {
        response_transforms: times(3, (at) => ({ type: 'append_json', location: deep(at), value: 0 })),
      },
      answer: {
        text: (bytes) => `${'{"a":'.repeat(50)}{"b":${inArray('0')(bytes - 800)}}${'}'.repeat(50)}`,
      },
    },
    {
      name: 'masks of a name that occurs 100,000 times',
      proxy: {
        response_transforms: times(TWENTY, () => ({
          type: 'mask',
          location: '$.a.b',
          replacement: 'x'.repeat(50),
        })),
      },
      answer: { text: numbered(() => '"a":{"b":0}', 100_000) },
    },
    {
      name: 'masks of escaped names',
      proxy: { response_transforms: times(3, () => ({ type: 'mask', location: '$.ab', replacement: 'x' })) },
      answer: { text: (bytes) => `{${filled('"\\u0061b":0,')(bytes - 20)}"c":0}` },
    },
    {
      name: 'twenty tokens of an answer',
      proxy: {
        response_transforms: times(TWENTY, (at) => ({
          type: 'tokenize',
          location: `$[${String(at)}]`,
          token: { type: 'token', search_indexes: ['{{ data | stringify }}'] },
        })),
      },
      answer: { text: () => `[${times(TWENTY, () => inString('ab')(45_000)).join()}]` },
    },
    {
      name: 'secrets: near misses',
      proxy: { configuration: secrets(0, SECRETS_MAX) },
      answer: { text: inString(NEAR(2_000)) },
    },
    {
      name: 'secrets of fifty changes, in request and answer',
      proxy: { configuration: secrets(0, SECRETS_MAX), ...appends },
      before: FIFTY_CHANGES,
      answer: { text: (bytes) => `{"a":"${NEAR(bytes - 50)}"}` },
      body: () => NEAR(4_000_000),
    },
    {
      name: 'secrets of fifty changes, all of them',
      proxy: { configuration: secrets(0, SECRETS_MAX), ...appends },
      before: FIFTY_CHANGES,
      answer: {
        text: (bytes) =>
          `{"a":"${filled(`${FIFTY_CHANGES.flatMap((each) => Object.values(each)).join(' ')} `)(bytes - 50)}"}`,
      },
      body: () => filled(`${Object.values(secrets(0, 50)).join(' ')} `)(4_000_000),
    },
    {
      name: 'secrets alike, zeros in request and answer',
      proxy: { configuration: alike(0, SECRETS_MAX) },
      before: ALIKE_BEFORE,
      answer: { text: inString('0') },
      body: () => filled('0')(4_000_000),
    },
    {
      name: 'long secrets alike, zeros in request and answer',
      proxy: { configuration: alike(0, SECRETS_MAX, 900) },
      before: [alike(1_000, SECRETS_MAX, 850), alike(2_000, SECRETS_MAX, 800)],
      answer: { text: inString('0') },
      body: () => filled('0')(4_000_000),
    },
    {
      name: 'secrets alike in base64',
      proxy: { configuration: alike(0, SECRETS_MAX) },
      before: ALIKE_BEFORE,
      answer: { text: inString('MDAwMDAw') },
      body: () => filled('MDAwMDAw')(4_000_000),
    },
    {
      name: 'secrets: escapes in request and answer',
      proxy: { configuration: secrets(0, SECRETS_MAX), ...appends },
      before: FIFTY_CHANGES,
      answer: { text: (bytes) => `{"a":"${filled('%2525\\\\u0025')(bytes - 50)}"}` },
      body: () => filled('%2525\\\\u0025')(4_000_000),
    },
    {
      name: 'secrets: near misses in many headers',
      proxy: { configuration: secrets(0, SECRETS_MAX), ...appends },
      before: FIFTY_CHANGES,
      answer: { headers: manyHeaders, text: () => '{}' },
    },
    {
      name: 'secrets and masks of cards, together',
      proxy: { configuration: secrets(0, SECRETS_MAX), ...maskingCards(1) },
      before: FIFTY_CHANGES,
      answer: { type: 'text/plain', text: filled(`%34242 ${NEAR(2_000)}`) },
      body: () => NEAR(4_000_000),
    },
  ];
}

interface Callers {
  readonly manage: StrictClient;
  readonly key: string;
  readonly plant: (body: string) => Promise<string>;
}

interface Made {
  readonly id: string;
  readonly key: string;
}

const asConfiguration = (
  values: Readonly<Record<string, string>>,
  known: Readonly<Record<string, unknown>>,
) => ({
  ...Object.fromEntries(Object.keys(known).map((name) => [name, null])),
  ...values,
});

/** Stores the proxy of a call, which has had other configurations before. */
async function store({ manage }: Callers, destination: string, call: HostileCall): Promise<Made> {
  const { name, proxy, before = [], answer } = call;
  const { configuration = {}, ...rest } = proxy as {
    readonly configuration?: Readonly<Record<string, string>>;
  };
  const all = [...before, configuration];
  const made = await manage<Made>('POST', '/proxies', {
    name,
    destination_url: `${destination}${answer === undefined ? 'echo' : answerAt(name, answer)}`,
    configuration: all[0],
    ...rest,
  });
  for (const [at, values] of all.slice(1).entries())
    await manage('PATCH', `/proxies/${made.id}`, {
      configuration: asConfiguration(values, all[at] ?? {}),
    });
  return made;
}

/** Calls through stored proxies that attackers make dear. */
export async function hostileCalls(
  callers: Callers,
  destination: string,
): Promise<readonly HostileRequest[]> {
  const large = await Promise.all(
    [1, 2].map(() => callers.plant(`{"type":"token","data":"${'a'.repeat(2_900_000)}"}`)),
  );
  const plain = await store(callers, destination, {
    name: 'plain',
    proxy: {},
    answer: { text: () => '{}' },
  });
  return calls(large).map((call): HostileRequest => {
    const { name, body } = call;
    const event = (proxyKey: string, text: string) => ({
      ...anEvent({
        method: body === undefined ? 'GET' : 'POST',
        path: '/proxy',
        key: callers.key,
        headers: { 'svc-proxy-key': proxyKey },
      }),
      ...(body !== undefined && { body: text }),
    });
    return {
      route: body === undefined ? 'GET /proxy' : 'POST /proxy',
      folder: 'proxy',
      what: `hostile: ${name}`,
      warmUp: event(plain.key, '{}'),
      event: async () => {
        const made = await store(callers, destination, call);
        return event(made.key, body?.(BODY_MAX_BYTES - 1_000) ?? '');
      },
    };
  });
}
