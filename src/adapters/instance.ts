import type { Platform } from '../core/shared/platform.ts';
import { createAwsConnections, type AwsConnections } from './aws/client-settings.ts';
import { machinePlatform } from './machine-platform.ts';

/** An instance of a function takes this from its surroundings, besides its environment. */
export interface Instance {
  readonly platform: Platform;
  readonly aws: AwsConnections;
  /** Receives each line that the instance logs, metrics included, without a line break. */
  readonly print: (line: string) => void;
}

/** Makes an instance that runs alone in its process, on Lambda or locally. */
export function machineInstance(): Instance {
  return {
    platform: machinePlatform,
    aws: createAwsConnections(machinePlatform),
    // Lambda sends standard output to CloudWatch Logs.
    print: (line) => void process.stdout.write(`${line}\n`),
  };
}
