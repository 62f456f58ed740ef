import { readAssembly, StageError, type Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { lacksCredentials, UsageError } from '../command-line/failures.ts';
import { printable } from '../command-line/show.ts';
import type { Surroundings } from '../command-line/surroundings.ts';
import { requireApp } from '../command-line/synthesized-app.ts';
import type { Account } from './account.ts';
import { awsAccount } from './aws-account.ts';
import { finding, isDenied, messageOf, nameOf, ok, warning, type Check } from './check.ts';
import { ofConcurrency, ofGateway, ofTables } from './limits.ts';
import { needsOf, type Needs } from './needs.ts';
import { ofBootstraps, ofCertificates, ofCloudTrail, ofEdge, ofNames } from './resources.ts';
import { tryFunction, type MadeWith } from './try-function.ts';

/** Tests check an account without a network. */
export interface AccountSurroundings extends Surroundings {
  readonly account?: Account;
}

/** These are the options of `check-account`, as commander names them. */
export interface AccountFlags {
  readonly stage?: string;
  readonly try: boolean;
  readonly json?: true;
}

async function stacksIn(app: string, stage: string | undefined): Promise<readonly Stack[]> {
  requireApp(app);
  try {
    return (await readAssembly(app, { stage })).stacks;
  } catch (error) {
    throw error instanceof StageError ? new UsageError(error.message) : error;
  }
}

interface Identity {
  readonly account: string;
  readonly arn: string;
}

async function identityOf(account: Account): Promise<Identity & { readonly region: string }> {
  try {
    return { ...(await account.identity()), region: await account.region() };
  } catch (error) {
    if (!lacksCredentials(error)) throw error;
    throw new UsageError('no AWS credentials or Region: set AWS_PROFILE and AWS_REGION', { cause: error });
  }
}

function ofPlace({ stacks }: Needs, { account, arn, region }: Identity & { readonly region: string }): Check {
  const others = stacks.filter((stack) => stack.account !== undefined && stack.account !== account);
  return others.length === 0
    ? ok('account', `account ${account}, ${region}, as ${arn}`)
    : finding(
        'account',
        `the credentials are of account ${account}, and the app is for ${String(others[0]?.account)}`,
        'Use credentials of that account: everything below is about the wrong one.',
      );
}

/** A name of a role has at most 64 characters. */
const ROLE_MAX_LENGTH = 64;

/**
 * The role and the layer of reactors. Before the first deployment it is a role that does not exist,
 * named as CloudFormation will name it: a person may pass only roles with this beginning.
 */
async function madeWith(
  account: Account,
  { stack, roleId, layerId }: NonNullable<Needs['reactors']>,
  { account: id, arn, region }: Identity & { readonly region: string },
): Promise<MadeWith> {
  const [, partition = 'aws'] = arn.split(':');
  const role = (name: string) => `arn:${partition}:iam::${id}:role/${name}`;
  const found = await account.resourcesOf(stack, region);
  const name = found?.get(roleId);
  const layer = found?.get(layerId);
  return name === undefined || layer === undefined
    ? { roleArn: role(`${stack}-${roleId}-none`.slice(0, ROLE_MAX_LENGTH)), layers: [], exist: false }
    : { roleArn: role(name), layers: [layer], exist: true };
}

async function ofReactors(
  account: Account,
  needs: Needs,
  identity: Identity & { readonly region: string },
  mayTry: boolean,
): Promise<readonly Check[]> {
  const { reactors } = needs;
  if (reactors === undefined) return [];
  if (!mayTry)
    return [
      warning('reactors', 'no function was tried', 'Run the check without --no-try before the deployment.'),
    ];
  const { prefix, architecture, tags } = reactors;
  const made = await madeWith(account, reactors, identity);
  return [await tryFunction(account, { prefix, architecture, tags, madeWith: made })];
}

/** A check that cannot look is a warning; one that fails for another reason is a finding. */
async function looked(id: string, check: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await check();
  } catch (error) {
    const text = `${nameOf(error)}: ${messageOf(error)}`;
    return [
      isDenied(error)
        ? warning(id, `not checked: ${text}`, 'Run the check with credentials that may make this call.')
        : finding(id, `the check failed: ${text}`, 'Repeat it; if it fails again, look yourself.'),
    ];
  }
}

/** Compares what an app needs with an account, one after the other. */
export async function checksOf(
  needs: Needs,
  account: Account,
  mayTry: boolean,
  now: number,
): Promise<readonly Check[]> {
  const identity = await identityOf(account);
  const place = { account, id: identity.account, region: identity.region, now };
  const [, partition = ''] = identity.arn.split(':');
  const all: Check[] = [ofPlace(needs, identity)];
  for (const [id, check] of Object.entries({
    bootstrap: () => ofBootstraps(place, needs),
    names: () => ofNames(place, needs),
    concurrency: () => ofConcurrency(place, needs),
    'table-writes': () => ofTables(place, needs),
    gateway: () => ofGateway(place, needs),
    certificate: () => ofCertificates(place, needs),
    edge: () => ofEdge(place, needs, partition),
    reactors: () => ofReactors(account, needs, identity, mayTry),
    cloudtrail: () => ofCloudTrail(place),
  }))
    all.push(...(await looked(id, check)));
  return all;
}

const lineOf = ({ status, id, what, remedy }: Check): string =>
  printable(`${status}: ${id}: ${what}${remedy === undefined ? '' : `. ${remedy}`}`);

/**
 * Prints what an account lacks for an app, before its first stack. It makes and deletes one
 * function, and changes nothing else. Resolves with whether there is no finding.
 */
export async function checkAccount(
  app: string,
  flags: AccountFlags,
  surroundings: AccountSurroundings,
): Promise<boolean> {
  const needs = needsOf(await stacksIn(app, flags.stage));
  // The app may name the Region of the service. Sites and the firewall have another one.
  const region = needs.reactors?.region;
  const account = surroundings.account ?? awsAccount(region === undefined ? {} : { region });
  const checks = await checksOf(needs, account, flags.try, Date.now());
  const count = (status: Check['status']) => checks.filter((each) => each.status === status).length;
  if (flags.json === true)
    surroundings.print(
      `${JSON.stringify({ findings: count('finding'), warnings: count('warning'), checks })}\n`,
    );
  else
    surroundings.print(
      [
        ...checks.map(lineOf),
        `${String(checks.length)} checks, ${String(count('finding'))} findings, ${String(count('warning'))} warnings`,
      ]
        .map((line) => `${line}\n`)
        .join(''),
    );
  return count('finding') === 0;
}
