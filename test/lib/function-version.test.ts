import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ApiFunction } from '../../lib/constructs/api-function.ts';
import { DataStack } from '../../lib/data-stack.ts';
import { parseSettings } from '../../lib/settings.ts';
import { problemCodes } from '../../src/wire/problem.ts';
import { synthesized } from '../support/synthesized.ts';
import { appContext } from '../../tools/templates/service-app.ts';

/** The logical id of the version that the gateway invokes. */
function versionId(contentHash?: string): string | undefined {
  const outdir = mkdtempSync(join(tmpdir(), 'cloakroom-version-'));
  try {
    const [app, settings] = [new App({ outdir, context: appContext }), parseSettings({})];
    const stack = new Stack(app, 'Api');
    new ApiFunction(stack, 'Reactors', {
      settings,
      data: new DataStack(app, 'Data', { settings }),
      folder: 'reactors',
      description: 'a function',
      environment: { LAYER: 'a-name-that-stays' },
      grants: [],
      ...(contentHash !== undefined && { contentHash }),
    });
    return Object.keys(Template.fromStack(stack).findResources('AWS::Lambda::Version'))[0];
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

it('the gateway gets another version of a function with the content that the function depends on', () => {
  expect(versionId('a')).toBe(versionId('a'));
  expect(new Set([versionId(), versionId('a'), versionId('b')]).size).toBe(3);
});

it('a canary counts the log lines with codes of the service itself, which exist', () => {
  const patterns = synthesized({ deployment: 'canary' }, 'eu-west-1').flatMap(({ template }) =>
    Object.values(template.Resources)
      .filter(({ Type }) => Type === 'AWS::Logs::MetricFilter')
      .map(({ Properties }) => String(Properties['FilterPattern'])),
  );
  expect(patterns).toHaveLength(5);
  const codes = [...new Set(patterns.flatMap((pattern) => [...pattern.matchAll(/"(\w+)"/g)]))].map(
    ([, code]) => code,
  );
  expect(problemCodes()).toEqual(expect.arrayContaining(codes));
  expect(new Set(codes)).toEqual(new Set(['internal_error', 'dependency_unavailable']));
});
