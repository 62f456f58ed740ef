import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import * as z from 'zod/mini';
import { STORED_PROXY_LIMITS } from '../../../src/core/stored-proxies/stored-proxy.ts';
import { proxyVersionResponse } from '../../../src/wire/proxy.ts';
import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.listVersions',
  recorded: { by: 'management' },
  does: 'Returns the last 20 versions and the retained ones',
  tag: TAG,
  summary: 'List the versions of a proxy',
  description: `The last ${String(STORED_PROXY_LIMITS.versions)} and those that are retained. The newest is the first, and the current one.`,
  parameters: ID,
  response: {
    description: 'The versions, without configuration and keys, which have none.',
    schema: z.array(proxyVersionResponse()),
  },
};
