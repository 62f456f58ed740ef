import type * as z from 'zod/mini';
import { consoleLog } from '../lambda/request-log.ts';
import type { apiEnvironment } from './api-environment.ts';
import type { ApiDeps } from './create-api-handler.ts';

/** The settings in the environment of every function behind the API, except its stores. */
export function apiSettings(
  config: z.output<typeof apiEnvironment>,
): Pick<ApiDeps, 'clock' | 'clientCompatibility' | 'headerPrefixes' | 'edgeSecret' | 'log'> {
  return {
    clock: Date.now,
    clientCompatibility: config.CLIENT_COMPATIBILITY,
    headerPrefixes: config.HEADER_PREFIXES,
    edgeSecret: config.EDGE_SECRET,
    log: consoleLog,
  };
}
