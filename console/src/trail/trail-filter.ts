import { filledIn } from '../parts/filled-in.ts';
import type { LogRecord, OperationName, Outcome, TokenForm } from '../sdk.ts';

export const HOUR_MS = 3_600_000;

/** Every operation, and the group that people look for it in. */
const GROUPS: Readonly<Record<OperationName, string>> = {
  getToken: 'Tokens',
  listTokens: 'Tokens',
  searchTokens: 'Tokens',
  detokenize: 'Tokens',
  tokenize: 'Tokens',
  createToken: 'Tokens',
  updateToken: 'Tokens',
  deleteToken: 'Tokens',
  proxy: 'Proxy',
  createProxy: 'Proxy',
  listProxies: 'Proxy',
  getProxy: 'Proxy',
  updateProxy: 'Proxy',
  patchProxy: 'Proxy',
  deleteProxy: 'Proxy',
  listProxyVersions: 'Proxy',
  listProxyFailures: 'Proxy',
  revertProxy: 'Proxy',
  createProxyKey: 'Proxy',
  listProxyKeys: 'Proxy',
  getProxyKey: 'Proxy',
  updateProxyKey: 'Proxy',
  deleteProxyKey: 'Proxy',
  invokeReactor: 'Reactors',
  getReactorResult: 'Reactors',
  createReactor: 'Reactors',
  listReactors: 'Reactors',
  getReactor: 'Reactors',
  updateReactor: 'Reactors',
  patchReactor: 'Reactors',
  deleteReactor: 'Reactors',
  listReactorDeliveries: 'Reactors',
  resendReactorDelivery: 'Reactors',
  getReactorSbom: 'Reactors',
  listRuntimes: 'Reactors',
  createApplication: 'Applications',
  listApplications: 'Applications',
  getApplicationByKey: 'Applications',
  getApplication: 'Applications',
  updateApplication: 'Applications',
  regenerateApplicationKey: 'Applications',
  createApplicationKey: 'Applications',
  listApplicationKeys: 'Applications',
  getApplicationKey: 'Applications',
  updateApplicationKey: 'Applications',
  deleteApplicationKey: 'Applications',
  deleteApplication: 'Applications',
  listPermissions: 'Applications',
  explainAccess: 'Applications',
  getTenant: 'Tenant, sessions, trail',
  updateTenant: 'Tenant, sessions, trail',
  createSession: 'Tenant, sessions, trail',
  authorizeSession: 'Tenant, sessions, trail',
  listLogs: 'Tenant, sessions, trail',
  runInvocation: 'Background work',
  deliverResult: 'Background work',
  'create-tenant': 'Operator',
  'create-management-key': 'Operator',
  'list-tenants': 'Operator',
  'list-keys': 'Operator',
  'check-tenant': 'Operator',
  'rotate-keys': 'Operator',
  'rotate-deployment-key': 'Operator',
  'rewrap-roots': 'Operator',
  'replace-root': 'Operator',
  'rebuild-index': 'Operator',
  reencrypt: 'Operator',
  'index-cards': 'Operator',
  'destroy-tenant': 'Operator',
  health: 'Operator',
  'rotate-webhook-secret': 'Operator',
  'list-deliveries': 'Operator',
  'resend-delivery': 'Operator',
  'list-reactors': 'Operator',
  'allow-hot': 'Operator',
  'republish-reactors': 'Operator',
  'who-saw': 'Operator',
  'verify-audit': 'Operator',
  'export-audit': 'Operator',
  'audit-key': 'Operator',
};

/** The operations with the groups that they are in. */
export const OPERATIONS = Object.entries(GROUPS);

/** Outcomes, with what they mean (docs/contract.md#outcomes). */
export const OUTCOMES = [
  ['begun', 'begun: carried out, or interrupted'],
  ['ok', 'ok: answered'],
  ['refused', 'refused: 401, 403, 404'],
  ['invalid', 'invalid: another 4xx'],
  ['failed', 'failed: 5xx'],
] as const satisfies readonly (readonly [Outcome, string])[];

/** How a request saw a token (docs/contract.md#forms). */
export const FORMS = [
  ...(['reveal', 'use', 'mask', 'redact', 'identity', 'examined'] as const),
  ...(['create', 'update', 'delete', 'refused'] as const),
] as const satisfies readonly TokenForm[];

export const RANGES = [
  ['1', 'last hour'],
  ['24', 'last 24 hours'],
  ['168', 'last 7 days'],
  ['720', 'last 30 days'],
  ['', 'from and to'],
] as const;

/** The console's own reads, and all masked reads, would fill the page. */
export const SHOWS = [
  ['', 'reveals, changes'],
  ['all', 'everything'],
] as const;

/** A filter of the trail. All of it is in the address, and none of it is data. */
export interface TrailFilter {
  readonly token_id: string;
  readonly application_id: string;
  readonly proxy_id: string;
  readonly operation: string;
  readonly outcome: string;
  /** Only records that saw the token, or any token without `token_id`, in this form. */
  readonly form: string;
  /** Hours until now; empty if `from` and `to` count. */
  readonly hours: string;
  readonly from: string;
  readonly to: string;
  /** `all`, or empty for records that reveal, change or refuse something. */
  readonly show: string;
}

const DEFAULT_HOURS = '24';

/** Reads the address without what is no filter: one that is not seen would hide records. */
export function filterOf(query: Readonly<Record<string, string>>): TrailFilter {
  const isFixed = Boolean(query['from']) || Boolean(query['to']);
  const member = (name: string) => (query[name] ?? '').trim();
  const known = (name: string, values: readonly string[]) =>
    values.includes(member(name)) ? member(name) : '';
  const hours = known(
    'hours',
    RANGES.map(([value]) => value),
  );
  return {
    token_id: member('token_id'),
    application_id: member('application_id'),
    proxy_id: member('proxy_id'),
    operation: known('operation', Object.keys(GROUPS)),
    outcome: known(
      'outcome',
      OUTCOMES.map(([value]) => value),
    ),
    form: known('form', FORMS),
    hours: isFixed ? '' : hours || DEFAULT_HOURS,
    from: member('from'),
    to: member('to'),
    show: known(
      'show',
      SHOWS.map(([value]) => value),
    ),
  };
}

/** The query of the address; what is at its default is left out. */
export const queryOf = ({ hours, ...others }: TrailFilter): Readonly<Record<string, string>> => ({
  ...others,
  hours: hours === DEFAULT_HOURS ? '' : hours,
});

const isOperation = (name: string): name is OperationName => Object.hasOwn(GROUPS, name);

const outcomeOf = (text: string): Outcome | undefined => OUTCOMES.find(([outcome]) => outcome === text)?.[0];

/** The part of a filter that the service applies. `now` is in ms. */
export function logQueryOf(filter: TrailFilter, now: number) {
  const { token_id, application_id, proxy_id, operation, outcome, form, hours, from, to } = filter;
  const start = hours === '' ? from : new Date(now - Number(hours) * HOUR_MS).toISOString();
  return filledIn({
    token_id,
    application_id,
    proxy_id,
    operation: isOperation(operation) ? operation : undefined,
    outcome: outcomeOf(outcome),
    form: FORMS.find((each) => each === form),
    from: start,
    to: hours === '' ? to : '',
  });
}

/** Operations that show something to their caller, and change nothing. */
const READ = /^(?:get|list|search|explain)|^(?:detokenize|createSession)$/;
const NOTABLE_FORMS: readonly string[] = ['reveal', 'use', 'create', 'update', 'delete', 'refused'];
const FAILURES: readonly string[] = ['refused', 'failed'];

/** Whether a record reveals, changes or refuses something. */
const isNotable = ({ operation, outcome, tokens = [] }: LogRecord): boolean =>
  FAILURES.includes(outcome) ||
  !READ.test(operation) ||
  tokens.some(({ form }) => NOTABLE_FORMS.includes(form));

/** Whether the list has a record. A filter by operation, outcome or form gets all of them. */
export const isShown = (record: LogRecord, { show, operation, outcome, form }: TrailFilter): boolean =>
  show !== '' || [operation, outcome, form].some((asked) => asked !== '') || isNotable(record);
