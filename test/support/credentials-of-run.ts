import { readCredentials } from './credentials.ts';

/** The shared local account of this run, and its first tenant. */
export const credentials = readCredentials(process.env['CLOAKROOM_CREDENTIALS'] ?? '');
