import { environment } from '../../functions/proxy/config.ts';

const GIVEN = {
  ...{ ACCESS_TABLE: 'access', EPHEMERAL_TABLE: 'ephemeral', TOKENS_TABLE: 'tokens', KEY_ID: 'key' },
  ...{ AUDIT_TABLE: 'audit', AUDIT_MODE: 'all', AUDIT_RETENTION_DAYS: '400', SERVICE_NAME: 'Cloakroom' },
  ...{
    CLIENT_COMPATIBILITY: 'strict',
    HEADER_PREFIXES: 'SVC,ACME',
    EDGE_SECRET: '',
    LIST_SHARDS: '8',
    EGRESS_ALLOW_LIST: '',
  },
};

const issuesOf = (given: object) =>
  environment.safeParse(given).error?.issues.map(({ path, message }) => [path.join('.'), message]);

it('texts become lists and numbers', () => {
  expect(environment.parse({ ...GIVEN, EGRESS_ALLOW_LIST: 'a.example,,b.example' })).toMatchObject({
    HEADER_PREFIXES: ['SVC', 'ACME'],
    LIST_SHARDS: 8,
    EGRESS_ALLOW_LIST: ['a.example', 'b.example'],
  });
});

it('says which variable is wrong, and how, and not what it holds', () => {
  const { ACCESS_TABLE: _, ...lacking } = GIVEN;
  expect(issuesOf({ ...lacking, TOKENS_TABLE: '', LIST_SHARDS: 'many' })).toEqual([
    ['ACCESS_TABLE', 'is not set'],
    ['TOKENS_TABLE', 'is empty'],
    ['LIST_SHARDS', 'must be a whole number from 1'],
  ]);
});

it.each(['0', '-1', '1.5', '', '9007199254740993'])('%j is no number of shards', (LIST_SHARDS) => {
  expect(issuesOf({ ...GIVEN, LIST_SHARDS })).toEqual([['LIST_SHARDS', 'must be a whole number from 1']]);
});

const [NEW, OLD] = ['n'.repeat(64), 'o'.repeat(64)];

it.each([
  ['', []],
  [NEW, [NEW]],
  [`${NEW},${OLD}`, [NEW, OLD]],
])('the edge secret %j is the values %j', (EDGE_SECRET, expected) => {
  expect(environment.parse({ ...GIVEN, EDGE_SECRET }).EDGE_SECRET).toEqual(expected);
});

it.each([',', `${NEW},`, `,${NEW}`, 'short', `${NEW},short`])(
  'the edge secret %j is refused: a function must not stand open because of a slip',
  (EDGE_SECRET) => {
    expect(issuesOf({ ...GIVEN, EDGE_SECRET })).toContainEqual([
      expect.stringMatching(/^EDGE_SECRET/),
      'has a value that is too short',
    ]);
  },
);
