import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { TOKENIZED_MAX } from '../../../src/core/tokens/tokenize.ts';
import { anyJson } from '../../../src/wire/parts.ts';
import { counted } from '../../../src/wire/words.ts';
import { TAG, CARD } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'tokenize',
  recorded: { by: 'shop' },
  does: 'Creates tokens from any JSON, at most 100, all or none',
  tag: TAG,
  summary: 'Tokenize any JSON',
  description: `An object with \`type\` and \`data\` becomes a token and is replaced by the Token object. Every other value except \`null\` becomes a \`token\` token and is replaced by its id. At most ${counted(TOKENIZED_MAX)}, all or none.`,
  requests: {
    order: { summary: 'An order with a card', value: { order: 'o-1', card: CARD, note: null } },
  },
  response: { description: 'The same shape with tokens and ids.', schema: anyJson() },
};
