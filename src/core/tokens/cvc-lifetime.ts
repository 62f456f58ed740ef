/** Values of the deploy setting `cvcLifetimeSeconds`: the lifetime of a card's cvc. */
export const CVC_LIFETIME_SECONDS = { default: 3_600, most: 86_400 } as const;
