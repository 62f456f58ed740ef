import type { Route } from '../../src/http/route.ts';
import { operation as listLogs } from './list-logs/route.ts';
import type { LogsDeps } from './dependencies.ts';

/** The operations of the function, in the order in which the documents have them. */
export const routes: readonly Route<LogsDeps>[] = [listLogs];
