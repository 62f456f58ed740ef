import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import * as z from 'zod/mini';
import { keyResponse } from '../../../src/wire/application-key.ts';
import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.keys.list',
  recorded: { by: 'management' },
  does: 'Returns all keys of the proxy, without their text',
  tag: TAG,
  summary: 'List keys of a proxy',
  description: 'The newest first. An expired key is listed until it is deleted.',
  parameters: ID,
  response: { description: 'The keys, without their text.', schema: z.array(keyResponse()) },
};
