/** Values of the deploy setting `cvcLifetimeSeconds`: how long a card's cvc lives. */
export const CVC_LIFETIME_SECONDS = { default: 3_600, most: 86_400 } as const;
