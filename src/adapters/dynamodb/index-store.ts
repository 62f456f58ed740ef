import type { IndexReader } from '../../core/audit/index-store.ts';
import type { Table } from './table-client.ts';

/** Placeholder until the indexes are stored. */
export const createIndexReader = ({ name }: Table): IndexReader => ({
  readIndex: () => Promise.reject(new Error(`audit: ${name} has no indexes yet`)),
});
