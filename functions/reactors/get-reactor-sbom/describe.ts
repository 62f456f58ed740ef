import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { billResponse } from '../../../src/wire/runtime.ts';
import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'reactors.sbom',
  recorded: { by: 'management' },
  does: 'Returns the packages of a bundle as a bill of materials, in CycloneDX',
  tag: TAG,
  summary: 'Get the bill of materials of a reactor',
  description:
    'The packages that the reactor brings, as its author declared them. Without a bundle there are none; those of the image are in "list runtimes".',
  parameters: ID,
  response: { description: 'The bill of materials, in CycloneDX 1.5.', schema: billResponse() },
};
