// Run by `synthesis.ts`: does with the CDK what a request names, and stores each result.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { PipelineStack } from '../../examples/pipeline/pipeline.ts';
import { parseTemplate } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { ApiFunction } from '../../lib/constructs/api-function.ts';
import { DataStack } from '../../lib/data-stack.ts';
import { parseSettings, SettingsError } from '../../lib/settings.ts';
import { appContext, templatesOf } from '../../tools/templates/service-app.ts';
import { BOUNDED, PIPELINES, TEMPLATE_SETTINGS, VERSIONS } from './template-settings.ts';
import { isStored, store, type Kind, type Requests, type Result } from './synthesis.ts';
import { tableDefinitions } from './table-definitions.ts';

function inFolder<T>(use: (outdir: string) => T): T {
  const outdir = mkdtempSync(join(tmpdir(), 'cloakroom-synthesis-'));
  try {
    return use(outdir);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** The templates in the order in which they are deployed, unless the settings are invalid. */
function templates([settings, region, context]: Requests['templates']): Result<'templates'> {
  try {
    const all = templatesOf(settings, region ?? undefined, context);
    return Object.entries(all).map(([name, template]) => ({ name, template }));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { refused: String(error) };
  }
}

/** The logical id of the version that the gateway invokes. */
const versionOf = (contentHash: string | null): string =>
  inFolder((outdir) => {
    const app = new App({ outdir, context: appContext });
    const settings = parseSettings({});
    const stack = new Stack(app, 'Api');
    new ApiFunction(stack, 'Reactors', {
      settings,
      data: new DataStack(app, 'Data', { settings }),
      folder: 'reactors',
      description: 'a function',
      environment: { LAYER: 'a-name-that-stays' },
      grants: [],
      ...(contentHash !== null && { contentHash }),
    });
    return Object.keys(Template.fromStack(stack).findResources('AWS::Lambda::Version'))[0] ?? '';
  });

/** Synthesizes the pipeline, unless its input is invalid. */
const pipelineOf = (input: Requests['pipelines'][number]): Result<'pipelines'>[number] =>
  inFolder((outdir) => {
    const app = new App({ outdir, analyticsReporting: false, context: appContext });
    try {
      new PipelineStack(app, 'CloakroomPipeline', input);
    } catch (error) {
      return { refused: String(error) };
    }
    const assembly = app.synth();
    const stacks = (name: string) =>
      assembly
        .getNestedAssembly(`assembly-CloakroomPipeline-${name}`)
        .stacks.map(({ stackName: name, template }) => ({ name, template: parseTemplate(template) }));
    return {
      template: assembly.getStackByName('CloakroomPipeline').template as object,
      stacks: [stacks('Testing'), stacks('Production')],
    };
  });

const MAKERS: { readonly [K in Kind]: (args: Requests[K]) => Result<K> } = {
  templates,
  tables: ([names]) => tableDefinitions(names),
  versions: (contents) => contents.map(versionOf),
  pipelines: (inputs) => inputs.map(pipelineOf),
};

function fulfil<K extends Kind>(kind: K, args: Requests[K]): void {
  if (!isStored(kind, args)) store(kind, args, MAKERS[kind](args));
}

const [wanted, args] = JSON.parse(process.argv[2] ?? '') as [Kind, never];
fulfil(wanted, args);
// While the CDK is loaded, the others cost a fraction. A test of tables needs none of them.
if (wanted !== 'tables') {
  for (const settings of TEMPLATE_SETTINGS) fulfil('templates', settings);
  fulfil('templates', BOUNDED);
  fulfil('versions', VERSIONS);
  fulfil('pipelines', PIPELINES);
}
