import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import {
  parseTemplate,
  readAssembly,
  StageError,
  type Stack,
} from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { describeFinding, isNote } from '../../packages/local-aws/src/deployment/finding.ts';
import { playDeployment } from '../../packages/local-aws/src/deployment/play-deployment.ts';
import type { Fetch } from '../../packages/sdk/src/index.ts';
import { connectionOf, hasKey, type ConnectionFlags } from '../command-line/connection.ts';
import { CommandFailure, lacksCredentials, UsageError } from '../command-line/failures.ts';
import type { ServiceSurroundings } from '../command-line/service-call.ts';
import { requireApp } from '../command-line/synthesized-app.ts';
import { lostImages } from './lost-images.ts';
import { describeProxyFinding, findingsOf, listedProxies, type ListedProxy } from './stored-proxies.ts';

const TIMEOUT_MS = 60_000;

/** These are the options of `check-upgrade`, as commander names them. */
export interface CheckFlags extends ConnectionFlags {
  readonly stage?: string;
  readonly fromStage?: string;
  readonly json?: true;
}

/** A deployed stack, if there is one. */
async function deployedStack({ name, region }: Stack): Promise<Stack | undefined> {
  const client = new CloudFormationClient(region === undefined ? {} : { region });
  try {
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName: name }));
    return { name, template: parseTemplate(JSON.parse(TemplateBody)) };
  } catch (error) {
    // CloudFormation has no code of its own for a stack that does not exist.
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    if (lacksCredentials(error))
      throw new UsageError(
        'no AWS credentials or Region: set AWS_PROFILE and AWS_REGION, or name the deployed app',
        {
          cause: error,
        },
      );
    throw error;
  }
}

async function answerOf(fetch: Fetch, url: string, headers: Readonly<Record<string, string>>) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const options = { method: 'GET', headers, signal, redirect: 'error', credentials: 'omit' } as const;
  const response = await fetch(url, options);
  return { status: response.status, text: Buffer.from(await response.arrayBuffer()).toString('utf8') };
}

/** Lists the stored proxies of a running deployment; `undefined` without an address and a key. */
async function proxiesOf(
  flags: CheckFlags,
  { environment, fetch = globalThis.fetch }: ServiceSurroundings,
): Promise<readonly ListedProxy[] | undefined> {
  const { CLOAKROOM_URL: address = '' } = environment;
  const hasAddress = flags.url !== undefined || flags.local !== undefined || address !== '';
  const isAsked = flags.url !== undefined || flags.keyFrom !== undefined || flags.local !== undefined;
  if (!isAsked && !(hasAddress && hasKey(flags, environment))) return undefined;
  const { baseUrl, apiKey, headerPrefix, keySource } = await connectionOf(flags, environment);
  // The client of the SDK knows proxies as this version has them, and the service may be older.
  return await listedProxies(async (path) => {
    const { status, text } = await answerOf(fetch, `${baseUrl.replace(/\/$/, '')}${path}`, {
      [`${headerPrefix}-API-KEY`]: apiKey,
    });
    if (status === 401) throw new UsageError(`the service rejects the key of ${keySource}`);
    if (status !== 200) throw new CommandFailure(`GET /proxies of ${baseUrl} returned ${String(status)}`);
    return JSON.parse(text) as unknown;
  });
}

interface Apps {
  readonly to: string;
  readonly from?: string;
}

async function stacksIn(app: string, stage: string | undefined): Promise<readonly Stack[]> {
  try {
    return (await readAssembly(app, { stage })).stacks;
  } catch (error) {
    throw error instanceof StageError ? new UsageError(error.message) : error;
  }
}

/** Reads the stacks to deploy, those that are there, and the names of those that are not. */
async function stacksOf({ to, from }: Apps, { stage, fromStage }: CheckFlags) {
  if (fromStage !== undefined && from === undefined)
    throw new UsageError('--from-stage needs the FROM that has it');
  for (const app of [to, from]) if (app !== undefined) requireApp(app);
  const stacks = await stacksIn(to, stage);
  if (from !== undefined) return { stacks, deployed: await stacksIn(from, fromStage), absent: [] };
  const found = await Promise.all(stacks.map(deployedStack));
  return {
    stacks,
    deployed: found.filter((stack) => stack !== undefined),
    absent: stacks.filter((_, at) => found[at] === undefined).map(({ name }) => name),
  };
}

/**
 * Prints what CloudFormation would refuse, and what would be lost, if an app were deployed over
 * what is deployed. Reads templates and changes nothing. Resolves with whether there is nothing
 * but notes.
 */
export async function checkUpgrade(
  apps: Apps,
  flags: CheckFlags,
  surroundings: ServiceSurroundings,
): Promise<boolean> {
  const { stacks, deployed, absent } = await stacksOf(apps, flags);
  const played = [...playDeployment(deployed, stacks), ...lostImages(deployed, stacks)];
  const findings = played.filter((each) => !isNote(each));
  const notes = played.filter(isNote);
  const proxies = await proxiesOf(flags, surroundings);
  const ofProxies = proxies?.flatMap(findingsOf) ?? [];
  if (flags.json === true)
    surroundings.print(
      `${JSON.stringify({
        deployed: deployed.map(({ name }) => name),
        to_deploy: stacks.map(({ name }) => name),
        findings,
        notes,
        proxies: proxies?.length ?? null,
        proxy_findings: ofProxies,
      })}\n`,
    );
  else {
    const lines = [
      ...(absent.length > 0 ? [`not deployed yet: ${absent.join(', ')}`] : []),
      ...findings.map(describeFinding),
      ...notes.map((note) => `note: ${describeFinding(note)}`),
      `${String(deployed.length)} deployed stacks, ${String(stacks.length)} to deploy, ${String(findings.length)} findings, ${String(notes.length)} notes`,
      ...ofProxies.map(describeProxyFinding),
      proxies === undefined
        ? 'stored proxies are not checked: set CLOAKROOM_URL and CLOAKROOM_API_KEY'
        : `${String(proxies.length)} stored proxies, ${String(ofProxies.length)} findings`,
    ];
    surroundings.print(lines.map((line) => `${line}\n`).join(''));
  }
  return findings.length + ofProxies.length === 0;
}
