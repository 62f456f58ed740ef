import { environment } from '../../functions/proxy/config.ts';

const VARIABLES = {
  ACCESS_TABLE: 'access',
  EPHEMERAL_TABLE: 'ephemeral',
  TOKENS_TABLE: 'tokens',
  KEY_ID: 'key',
  AUDIT_TABLE: 'audit',
  AUDIT_RETENTION_DAYS: '400',
  SERVICE_NAME: 'Cloakroom',
  CLIENT_COMPATIBILITY: 'strict',
  HEADER_PREFIXES: 'SVC,ACME',
  DOCS_URL: '',
  EDGE_SECRET: '',
  EGRESS_ALLOW_LIST: '',
  REACTORS_TABLE: 'reactors',
  REACTOR_FUNCTION_PREFIX: 'reactor-',
  REACTORS_FUNCTION: 'reactors',
  CVC_LIFETIME_SECONDS: '3600',
  PUBLIC_URL: '',
  PROXY_REDIRECTS: 'told',
};

const issuesOf = (input: object) =>
  environment.safeParse(input).error?.issues.map(({ path, message }) => [path.join('.'), message]);

it('texts become lists and numbers', () => {
  expect(environment.parse({ ...VARIABLES, EGRESS_ALLOW_LIST: 'a.example,,b.example' })).toMatchObject({
    HEADER_PREFIXES: ['SVC', 'ACME'],
    AUDIT_RETENTION_DAYS: 400,
    EGRESS_ALLOW_LIST: ['a.example', 'b.example'],
  });
});

it('an error names the variable and the problem, and not the value', () => {
  const { ACCESS_TABLE: _, ...lacking } = VARIABLES;
  expect(issuesOf({ ...lacking, TOKENS_TABLE: '', AUDIT_RETENTION_DAYS: 'many' })).toEqual([
    ['ACCESS_TABLE', 'is not set'],
    ['AUDIT_RETENTION_DAYS', 'must be a whole number from 1'],
    ['TOKENS_TABLE', 'is empty'],
  ]);
});

it.each(['0', '-1', '1.5', '', '9007199254740993'])('%j is not a valid number of days', (days) => {
  expect(issuesOf({ ...VARIABLES, AUDIT_RETENTION_DAYS: days })).toEqual([
    ['AUDIT_RETENTION_DAYS', 'must be a whole number from 1'],
  ]);
});

const NEW = 'n'.repeat(64);
const OLD = 'o'.repeat(64);

it.each([
  ['', []],
  [NEW, [NEW]],
  [`${NEW},${OLD}`, [NEW, OLD]],
])('the edge secret %j is the values %j', (EDGE_SECRET, expected) => {
  expect(environment.parse({ ...VARIABLES, EDGE_SECRET }).EDGE_SECRET).toEqual(expected);
});

it.each([',', `${NEW},`, `,${NEW}`, 'short', `${NEW},short`])(
  'the edge secret %j is rejected: a mistake must not leave a function open',
  (EDGE_SECRET) => {
    expect(issuesOf({ ...VARIABLES, EDGE_SECRET })).toContainEqual([
      expect.stringMatching(/^EDGE_SECRET/),
      'has a value that is too short',
    ]);
  },
);
