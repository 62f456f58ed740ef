import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { FAILURES_MAX } from '../../../src/core/stored-proxies/proxy-failure-store.ts';
import { proxyFailuresResponse } from '../../../src/wire/proxy-failure.ts';
import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.listFailures',
  recorded: { by: 'management' },
  does: 'Returns the last 50 failures of transforms within a day, which callers do not see',
  tag: TAG,
  summary: 'List the failures of a proxy',
  description: `The last ${String(FAILURES_MAX)} failures of its transforms within a day, the newest first: what their callers do not see, because others have written the proxy. They have no values.`,
  parameters: ID,
  response: { description: 'The failures.', schema: proxyFailuresResponse() },
};
