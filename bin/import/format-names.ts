export const FORMATS = ['stripe', 'braintree', 'csv', 'ndjson', 'cloakroom'] as const;

/** `aliases` is a file of another vault's, whose data that vault fills in. */
export type Format = (typeof FORMATS)[number] | 'aliases';
