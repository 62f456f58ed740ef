// A CodePipeline that tests this repository, deploys it for tests, and, once a person agrees, to
// production. See README.md.
import { App, Stack, Stage, type StackProps } from 'aws-cdk-lib';
import { LinuxArmBuildImage } from 'aws-cdk-lib/aws-codebuild';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  CodeBuildStep,
  CodePipeline,
  CodePipelineSource,
  type IFileSetProducer,
  ManualApprovalStep,
} from 'aws-cdk-lib/pipelines';
import { z } from 'zod';
import { buildService } from '../../lib/service.ts';
import { parseSettings } from '../../lib/settings.ts';

const place = z
  .string()
  .regex(/^\d{12}\/[a-z0-9-]+$/, 'must be an account and a Region, as 123456789012/eu-west-1')
  .transform((text) => {
    const [account = '', region = ''] = text.split('/');
    return { account, region };
  });

const inputShape = z.object({
  /** `owner/name` of your copy of this repository. */
  repository: z.string().regex(/^[^/]+\/[^/]+$/),
  branch: z.string().default('main'),
  /** ARN of a connection (AWS CodeConnections) to the forge. */
  connection: z.string().startsWith('arn:'),
  /** Where the pipeline runs, and the deployment for tests. */
  testing: place,
  production: place,
});

type Place = z.output<typeof place>;

/** Settings of both deployments (docs/deploy.md#settings). */
const SETTINGS = { deployment: 'canary' };

/** One deployment. Its stacks have the same names as by `npx cdk deploy --all`. */
class Deployment extends Stage {
  constructor(pipeline: Stack, id: string, env: Place) {
    super(pipeline, id, { env });
    buildService(this, parseSettings(SETTINGS), env);
  }
}

export class PipelineStack extends Stack {
  constructor(app: App, id: string, input: unknown, props?: StackProps) {
    const { repository, branch, connection, testing, production } = inputShape.parse(input);
    super(app, id, { ...props, env: testing });
    const buildEnvironment = { buildImage: LinuxArmBuildImage.AMAZON_LINUX_2023_STANDARD_3_0 };
    // The CDK's classes declare members as possibly undefined that its interfaces make optional.
    const source = CodePipelineSource.connection(repository, branch, {
      connectionArn: connection,
    }) as IFileSetProducer;
    const pipeline = new CodePipeline(this, 'Pipeline', {
      crossAccountKeys: true,
      codeBuildDefaults: { buildEnvironment },
      synth: new CodeBuildStep('TestAndSynthesize', {
        input: source,
        env: { CLOAKROOM_PIPELINE: JSON.stringify(input) },
        commands: ['npm ci', 'npm test', 'npx cdk synth --quiet --app "node examples/pipeline/pipeline.ts"'],
      }) as IFileSetProducer,
    });
    const health = new CodeBuildStep('Health', {
      input: source,
      commands: ['npm ci', 'npx cloakroom operator health'],
      rolePolicyStatements: [
        new PolicyStatement({
          actions: ['lambda:InvokeFunction'],
          resources: [this.formatArn({ service: 'lambda', resource: 'function:Cloakroom-operator' })],
        }),
      ],
    });
    pipeline.addStage(new Deployment(this, 'Testing', testing), { post: [health] });
    pipeline.addStage(new Deployment(this, 'Production', production), {
      pre: [
        new ManualApprovalStep('Agree', { comment: 'What changes: see the README of examples/pipeline' }),
      ],
    });
  }
}

const input = process.env['CLOAKROOM_PIPELINE'];
if (input !== undefined) {
  const app = new App();
  new PipelineStack(app, 'CloakroomPipeline', JSON.parse(input));
  app.synth();
}
