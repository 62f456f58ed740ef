// `npm run check-upgrade -- [TO] [FROM]`: what CloudFormation would refuse, and what would be lost,
// if the synthesized app of a folder (`cdk.out`) were deployed over what runs in the AWS account,
// or over that of another folder. It reads templates and changes nothing. With the environment
// variables CLOAKROOM_URL and CLOAKROOM_API_KEY it also reads the proxies of the key's tenant.
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { parseTemplate, readAssembly, type Stack } from '../packages/local-aws/src/assembly/read-assembly.ts';
import { describeFinding } from '../packages/local-aws/src/deployment/finding.ts';
import { playDeployment } from '../packages/local-aws/src/deployment/play-deployment.ts';
import { readArguments } from './read-arguments.ts';
import { describeProxyFinding, findingsOf, listedProxies } from './upgrade/stored-proxies.ts';

const USAGE = `npm run check-upgrade -- [TO] [FROM] [--stage NAME]
  Says what CloudFormation would refuse, and what would be lost, if the synthesized app of the folder
  TO (cdk.out) were deployed over what runs in the AWS account, or over that of the folder FROM.
  --stage  the stage of TO, such as Production, if TO is the app of a pipeline`;

const {
  values: { stage },
  positionals: [to = 'cdk.out', from],
} = readArguments(USAGE, { allowPositionals: true, options: { stage: { type: 'string' } } });

/** A deployed stack, if there is one. */
async function deployedStack({ name, region }: Stack): Promise<Stack | undefined> {
  const client = new CloudFormationClient(region === undefined ? {} : { region });
  try {
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName: name }));
    return { name, template: parseTemplate(JSON.parse(TemplateBody)) };
  } catch (error) {
    // CloudFormation has no code of its own for a stack that does not exist.
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
}

async function deployedStacks(wanted: readonly Stack[]): Promise<readonly Stack[]> {
  const found = await Promise.all(wanted.map(deployedStack));
  const absent = wanted.filter((_, index) => found[index] === undefined).map(({ name }) => name);
  if (absent.length > 0) console.log(`not deployed yet: ${absent.join(', ')}`);
  return found.filter((stack) => stack !== undefined);
}

/** Prints what changes for the proxies of a running deployment, and counts the lines. */
async function checkProxies(): Promise<number> {
  const { CLOAKROOM_URL: url, CLOAKROOM_API_KEY: key } = process.env;
  if (url === undefined || key === undefined) {
    console.log('stored proxies are not checked: set CLOAKROOM_URL and CLOAKROOM_API_KEY');
    return 0;
  }
  const proxies = await listedProxies(async (path) => {
    const response = await fetch(new URL(path, url), {
      headers: { 'SVC-API-KEY': key },
      redirect: 'error',
    });
    if (!response.ok) throw new Error(`GET /proxies of CLOAKROOM_URL returned ${String(response.status)}`);
    return response.json();
  });
  const findings = proxies.flatMap(findingsOf);
  for (const finding of findings) console.log(describeProxyFinding(finding));
  console.log(`${String(proxies.length)} stored proxies, ${String(findings.length)} findings`);
  return findings.length;
}

async function check(): Promise<void> {
  const { stacks } = await readAssembly(to, { stage });
  const deployed = from === undefined ? await deployedStacks(stacks) : (await readAssembly(from)).stacks;
  const findings = playDeployment(deployed, stacks);
  for (const finding of findings) console.log(describeFinding(finding));
  console.log(
    `${String(deployed.length)} deployed stacks, ${String(stacks.length)} to deploy, ${String(findings.length)} findings`,
  );
  const ofProxies = await checkProxies();
  process.exitCode = findings.length + ofProxies > 0 ? 1 : 0;
}

try {
  await check();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
