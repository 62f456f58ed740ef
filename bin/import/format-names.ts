export const FORMATS = ['stripe', 'braintree', 'csv', 'ndjson', 'cloakroom'] as const;

export type Format = (typeof FORMATS)[number];
