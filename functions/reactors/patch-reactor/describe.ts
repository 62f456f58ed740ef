import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { patchReactorWords } from '../../../src/wire/reactor.ts';
import { TAG, ID, CONFLICT } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'reactors.patch',
  recorded: 'nothing',
  does: 'Merges name, code, configuration, `runtime` and `application.id`',
  tag: TAG,
  summary: 'Patch a reactor',
  description: 'JSON Merge Patch (RFC 7386).',
  parameters: ID,
  members: patchReactorWords(),
  requests: {
    entry: { summary: 'Sets one entry', value: { configuration: { url: 'https://other.example.com' } } },
  },
  response: { hasTag: true, description: 'Updated. The response has no body.', namesStoppedProxies: true },
  failures: { 409: CONFLICT },
};
