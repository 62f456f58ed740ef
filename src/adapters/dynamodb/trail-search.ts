import type { WalkDeps } from '../../core/trail/list-records.ts';
import { createIndexPages } from './index-store.ts';
import type { Table } from './table-client.ts';
import { createRecordsAt, createReferredIds, createTrailPages } from './trail-reader.ts';

/** Searches the trail in the tables Audit and AuditIndex. */
export function createTrailSearch(audit: Table, index: Table): Omit<WalkDeps, 'clock'> {
  return {
    trailPages: createTrailPages(audit),
    indexPages: createIndexPages(index),
    recordsAt: createRecordsAt(audit),
    referredIds: createReferredIds(audit),
  };
}
