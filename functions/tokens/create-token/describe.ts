import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { CVC_LIFETIME_SECONDS } from '../../../src/core/tokens/cvc-lifetime.ts';
import { createTokenWords, writtenToken } from '../../../src/wire/token.ts';
import { duration } from '../../../src/wire/words.ts';
import { TAG, DEDUPLICATION, CARD } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'tokens.create',
  recorded: { by: 'shop', makes: ['token', 'id'] },
  does: 'Creates a token',
  tag: TAG,
  summary: 'Create a token',
  description: `Stores data and returns a token with an id, which you store and send instead. The type decides what is checked, and what a masked reader sees.\n\nTo a caller whose rule reveals, the response shows a card's \`cvc\` until the end of its lifetime (setting \`cvcLifetimeSeconds\`, by default ${duration(CVC_LIFETIME_SECONDS.default * 1_000)}); then the service deletes it. ${DEDUPLICATION}`,
  members: createTokenWords(),
  requests: {
    card: { summary: 'A card', value: CARD },
    bank: {
      summary: 'A bank account',
      value: { type: 'bank', data: { routing_number: '021000021', account_number: '00001' } },
    },
    searchable: {
      summary: 'A searchable social security number, for a year',
      value: {
        type: 'social_security_number',
        data: '078-05-1120',
        containers: ['/pii/high/'],
        search_indexes: ["{{ data | remove: '-' }}"],
        deduplicate_token: true,
      },
    },
    anything: {
      summary: 'Any JSON, with a custom mask',
      value: {
        type: 'token',
        data: { passport: 'C01X00T47', country: 'DE' },
        mask: { passport: '{{ data.passport | reveal_last: 3 }}', country: '{{ data.country }}' },
      },
    },
  },
  response: { description: 'The token, as the caller may see it.', schema: writtenToken() },
  failures: {
    404: 'The token of the replayed response no longer exists.',
    409: 'The id exists, or a request with the same idempotency key is still running.',
  },
};
