import { API_OPERATIONS } from '../../../src/core/audit/api-operations.ts';
import { COUNTED_APART } from '../../../tools/bench/counts/other-operations.ts';
import { tableUnder } from '../../support/docs-table.ts';

it('the calls of each operation of the API are on the page of figures', () => {
  const names: Readonly<Record<string, string>> = COUNTED_APART;
  const rows = tableUnder('docs/performance/figures.md', '### On the wire').map(([, name]) => name);
  const missing = API_OPERATIONS.filter((operation) => !rows.includes(names[operation] ?? operation));
  expect(missing).toEqual([]);
});
