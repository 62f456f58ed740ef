import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { MEMBERS_MAX } from '../../../src/core/shared/json-extent.ts';
import { DETOKENIZED_MAX_BYTES } from '../../../src/core/tokens/detokenize.ts';
import { DETOKENIZED_MAX } from '../../../src/core/tokens/resolve-tokens.ts';
import { anyJson } from '../../../src/wire/parts.ts';
import { counted, megabytes } from '../../../src/wire/words.ts';
import { TAG } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'detokenize',
  recorded: { by: 'shop' },
  does: "Replaces the expressions in any JSON by what the caller's rules show",
  tag: TAG,
  summary: 'Detokenize any JSON',
  description: `Replaces every expression by its value under the transform of the deciding \`token:read\` rule. At most ${counted(DETOKENIZED_MAX)} tokens, with ${megabytes(DETOKENIZED_MAX_BYTES)} and ${counted(MEMBERS_MAX)} elements and members in all.`,
  requests: {
    masked: {
      summary: 'The last four digits',
      value: { card: "{{ 0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8 | json: '$.number' | last4 }}" },
    },
  },
  response: { description: 'The same shape with the values.', schema: anyJson() },
};
