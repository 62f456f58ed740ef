import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { imagesResponse } from '../../../src/wire/runtime.ts';
import { TAG } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'reactors.runtimes',
  recorded: { by: 'management' },
  does: 'Lists the images on which code can run, with their packages',
  tag: TAG,
  summary: 'List runtimes',
  description: 'The images of this service, also those that the deployment has closed.',
  response: { description: 'The images.', schema: imagesResponse() },
};
