import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { explainWords, explanationResponse } from '../../../src/wire/access.ts';

export const description: OperationDescription = {
  sdk: 'access.explain',
  recorded: { by: 'management' },
  does: 'Says what a caller may do in a container, and which rule decides ([access](access.md#check-a-rule))',
  tag: 'Applications',
  summary: 'Explain access',
  description:
    'Says whether an application, or permissions and rules that no application has yet, may do something with a token in a container, and which rule decides. It reads no token.',
  members: explainWords(),
  requests: {
    application: {
      summary: 'What an application sees',
      value: {
        application_id: '3c4a8c51-6f0e-4a5b-8e0c-9b0f6f0a7d21',
        permission: 'token:read',
        container: '/pci/high/',
      },
    },
    rules: {
      summary: 'A rule before it is added',
      value: {
        rules: [
          {
            priority: 1,
            container: '/pci/',
            transform: 'redact',
            permissions: ['token:use'],
            through: { reactors: ['0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8'] },
          },
        ],
        permission: 'token:use',
        container: '/pci/high/',
        through: { reactors: ['0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8'] },
      },
    },
  },
  response: { description: 'The answer, and the steps to it.', schema: explanationResponse() },
  failures: { 404: 'The application does not exist.' },
};
