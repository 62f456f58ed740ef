import { createRequire } from 'node:module';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { cached } from './cached.ts';
import type * as Synthesize from './synthesize.ts';

// Loaded on demand: the CDK takes seconds to load, and templates are usually cached.
const load = createRequire(import.meta.filename);

/** These settings include the edge. */
export const EDGE = {
  edge: 'cloudfront-waf',
  domainName: 'vault.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/x',
};

/** The templates of a deployment, whose functions have no code. Throws for invalid settings. */
export function synthesized(settings: Readonly<Record<string, unknown>> = {}, region?: string): Stack[] {
  return cached(JSON.stringify([settings, region]), () => {
    const { synthesize } = load('./synthesize.ts') as typeof Synthesize;
    return synthesize(settings, region);
  });
}
