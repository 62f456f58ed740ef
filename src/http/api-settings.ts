import type * as z from 'zod/mini';
import type { Platform } from '../core/shared/platform.ts';
import { keyReports } from '../lambda/key-metrics.ts';
import { createLog, type Print } from '../lambda/request-log.ts';
import type { apiEnvironment } from './api-environment.ts';
import type { ApiDeps } from './create-api-handler.ts';

/**
 * Every function behind the API takes these from its environment and its instance, except its
 * stores.
 */
export function apiSettings(
  config: z.output<typeof apiEnvironment>,
  { platform, print }: { readonly platform: Platform; readonly print: Print },
): Platform &
  Pick<
    ApiDeps,
    'clientCompatibility' | 'docsUrl' | 'headerPrefixes' | 'edgeSecret' | 'log' | 'onRetiredKeyUsed'
  > {
  return {
    ...platform,
    clientCompatibility: config.CLIENT_COMPATIBILITY,
    docsUrl: config.DOCS_URL,
    headerPrefixes: config.HEADER_PREFIXES,
    edgeSecret: config.EDGE_SECRET,
    log: createLog(print).request,
    onRetiredKeyUsed: keyReports(print, config.SERVICE_NAME).onRetiredKeyUsed,
  };
}
