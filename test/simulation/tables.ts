import { synthesis } from '../support/synthesis.ts';

const NAMES = ['Tokens', 'Ephemeral', 'Access', 'Reactors', 'Audit', 'AuditIndex', 'AuditSeals'];

/** The tables as the synthesized data stack defines them. */
export const tables = () => synthesis('tables', NAMES);
