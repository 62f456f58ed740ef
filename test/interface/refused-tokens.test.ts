// Checks docs/contract.md#list-records: the tokens that a refused request names are in its record.
import { randomUUID } from 'node:crypto';
import {
  anApplication,
  aRevealingApplication,
  client,
  management,
  type HttpClient,
} from '../support/service.ts';

let tokens: readonly string[];
let reactors: readonly string[];
/** The callers, each by what it lacks. */
let callers: ReadonlyMap<string, HttpClient>;

const IN_USE = { priority: 1, container: '/', transform: 'reveal' } as const;

beforeAll(async () => {
  const writer = await aRevealingApplication();
  const create = async (more: object) =>
    (await writer.post('/tokens', { type: 'token', data: randomUUID(), ...more })).body.id as string;
  tokens = [await create({}), await create({ id: `alias-${randomUUID()}` })];
  const code = 'module.exports = () => ({});';
  const reactor = async () =>
    (await management.post('/reactors', { name: 'x', code, configuration: {} })).body.id as string;
  reactors = [await reactor(), await reactor()];
  const through = { reactors: reactors.slice(0, 1) };
  const page = await anApplication({ type: 'public', permissions: ['token:create'] });
  callers = new Map([
    ['no right to read or use', await anApplication({ permissions: ['token:create'] })],
    ['no right to use', await anApplication({ rules: [{ ...IN_USE, permissions: ['token:read'] }] })],
    [
      'one reactor alone',
      await anApplication({ rules: [{ ...IN_USE, permissions: ['token:use'], through }] }),
    ],
    [
      'another container',
      await anApplication({ rules: [{ ...IN_USE, container: '/x/', permissions: ['token:use'] }] }),
    ],
    ['a public type', page],
    ['a management type', management],
    ['an authorization', client((await page.post('/sessions')).body.session_key)],
    ['nothing', await aRevealingApplication()],
  ]);
});

type Operation = (
  caller: HttpClient,
  text: string,
) => Promise<{ readonly status: number; readonly headers: Headers }>;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'react with the permitted reactor': (caller, text) =>
    caller.post(`/reactors/${reactors[0] ?? ''}/react`, { args: { a: [text] } }),
  'react with another reactor': (caller, text) =>
    caller.post(`/reactors/${reactors[1] ?? ''}/react`, { args: { a: [text] } }),
  'react with a callback': (caller, text) =>
    caller.post(`/reactors/${reactors[0] ?? ''}/react`, {
      args: { a: text },
      callback_url: 'https://nowhere.invalid/hook',
    }),
  detokenize: (caller, text) => caller.post('/detokenize', { a: { b: text } }),
  'the ephemeral proxy': (caller, text) =>
    caller.post('/proxy', { a: text }, { headers: { 'SVC-PROXY-URL': 'https://nowhere.invalid' } }),
};

it.each(Object.keys(OPERATIONS))(
  'names the tokens of each refused request in its record: %s',
  async (name) => {
    const refusals: string[] = [];
    for (const [lacks, caller] of callers) {
      const text = tokens.map((id) => `{{ ${id} }}`).join(' ');
      const { status, headers } = (await OPERATIONS[name]?.(caller, text)) ?? {
        status: 0,
        headers: new Headers(),
      };
      if (status !== 403) continue;
      refusals.push(lacks);
      for (const id of tokens) {
        const { body } = await management.get(`/logs?token_id=${encodeURIComponent(id)}`);
        const found = (body.data as { trace_id: string; tokens?: { id: string; form: string }[] }[]).find(
          (record) => record.trace_id === headers.get('svc-trace-id'),
        );
        const refused = found?.tokens?.filter(({ form }) => form === 'refused').map((token) => token.id);
        expect([lacks, refused?.toSorted()]).toEqual([lacks, tokens.toSorted()]);
      }
    }
    expect(refusals.length).toBeGreaterThan(3);
  },
);
