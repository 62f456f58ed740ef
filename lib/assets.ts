import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Stage } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { assetFolder } from './asset-folder.ts';
import type { AssetPart } from './asset-parts.ts';

/** The context of an app that is synthesized for its templates alone, as in tests. */
export const WITHOUT_CODE = 'cloakroom:without-code';

export const isWithoutCode = ({ node }: Construct): boolean => node.tryGetContext(WITHOUT_CODE) === true;

/** Returns a folder in the output of the synthesis. */
export function outputFolder(scope: Construct, name: string): string {
  const stage = Stage.of(scope);
  if (stage === undefined) throw new Error(`${scope.node.path} is in no app`);
  return join(stage.outdir, name);
}

/** Returns a built folder of a part; an empty one in an app without code. */
export function builtFolder(scope: Construct, part: AssetPart, name: string): string {
  if (!isWithoutCode(scope)) return join(assetFolder(part), name);
  const empty = outputFolder(scope, 'no-code');
  mkdirSync(empty, { recursive: true });
  return empty;
}
