import { createRequire } from 'node:module';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { kept } from './kept.ts';
import type * as Synthesize from './synthesize.ts';

// Not imported: the CDK takes seconds to load, and templates are mostly there already.
const load = createRequire(import.meta.filename);

/** Settings that put the edge in front. */
export const EDGE = {
  edge: 'cloudfront-waf',
  domainName: 'vault.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/x',
};

/** The templates of a deployment, whose functions have no code. Throws for refused settings. */
export function synthesized(settings: Readonly<Record<string, unknown>> = {}, region?: string): Stack[] {
  return kept(JSON.stringify([settings, region]), () => {
    const { synthesize } = load('./synthesize.ts') as typeof Synthesize;
    return synthesize(settings, region);
  });
}
