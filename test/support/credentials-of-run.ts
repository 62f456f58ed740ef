import { readCredentials } from './credentials.ts';

/** Where the shared local cloud of this run is, and its first tenant. */
export const credentials = readCredentials(process.env['CLOAKROOM_CREDENTIALS'] ?? '');
