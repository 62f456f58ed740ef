/** Values of the deploy setting `cvcLifetimeSeconds`, which is how long a card's cvc is stored. */
export const CVC_LIFETIME_SECONDS = { default: 3_600, most: 86_400 } as const;
