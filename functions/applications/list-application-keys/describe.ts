import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import * as z from 'zod/mini';
import { keyResponse } from '../../../src/wire/application-key.ts';
import { ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'applications.keys.list',
  recorded: { by: 'management' },
  does: 'Returns all keys, without their text',
  tag: 'Applications',
  summary: 'List keys',
  description: 'The keys of an application, the newest first. An expired key is listed until it is deleted.',
  parameters: ID,
  response: { description: 'The keys, without their text.', schema: z.array(keyResponse()) },
};
