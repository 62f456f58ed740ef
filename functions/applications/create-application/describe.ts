import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { applicationWithKey, createApplicationWords } from '../../../src/wire/application.ts';
import { EITHER, BILLING } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'applications.create',
  recorded: { by: 'management', makes: ['application', 'id'] },
  does: 'Creates an application; only this response and that of regenerate contain its key',
  tag: 'Applications',
  summary: 'Create an application',
  description: EITHER,
  members: createApplicationWords(),
  requests: {
    private: {
      summary: 'A server that sees plaintext below /pci/',
      value: { type: 'private', ...BILLING },
    },
    public: {
      summary: 'A page that collects',
      value: { name: 'Checkout', type: 'public', permissions: ['token:create'] },
    },
  },
  response: { hasTag: true, description: 'The application with its key.', schema: applicationWithKey() },
};
