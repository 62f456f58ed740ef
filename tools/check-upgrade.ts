// `npm run check-upgrade -- [TO] [FROM]`: what CloudFormation would refuse, and what would be lost,
// if the synthesized app of a folder (`cdk.out`) were deployed over what runs in the AWS account,
// or over that of another folder. It reads templates and changes nothing.
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { parseTemplate, readAssembly, type Stack } from '../packages/local-aws/src/assembly/read-assembly.ts';
import { describeFinding } from '../packages/local-aws/src/deployment/finding.ts';
import { playDeployment } from '../packages/local-aws/src/deployment/play-deployment.ts';

const [to = 'cdk.out', from] = process.argv.slice(2);

/** The deployed stacks of some names, in the Region of the environment. */
async function deployedStacks(names: readonly string[]): Promise<readonly Stack[]> {
  const client = new CloudFormationClient({});
  const found = await Promise.all(
    names.map(async (name): Promise<readonly Stack[]> => {
      try {
        const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName: name }));
        return [{ name, template: parseTemplate(JSON.parse(TemplateBody)) }];
      } catch (error) {
        // CloudFormation has no code of its own for a stack that does not exist.
        if (error instanceof Error && /does not exist/.test(error.message)) return [];
        throw error;
      }
    }),
  );
  return found.flat();
}

const { stacks } = await readAssembly(to);
const deployed =
  from === undefined
    ? await deployedStacks(stacks.map(({ name }) => name))
    : (await readAssembly(from)).stacks;
const findings = playDeployment(deployed, stacks);
for (const finding of findings) console.log(describeFinding(finding));
console.log(
  `${String(deployed.length)} deployed stacks, ${String(stacks.length)} to deploy, ${String(findings.length)} findings`,
);
process.exitCode = findings.length > 0 ? 1 : 0;
