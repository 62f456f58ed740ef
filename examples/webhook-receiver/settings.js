// What the example needs to know: from the environment, or from the credentials file that
// `npm start` in the repository writes while its service runs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const {
  CLOAKROOM_CREDENTIALS: file = fileURLToPath(new URL('../../.local/credentials.json', import.meta.url)),
} = process.env;

/**
 * Ends the process with one line if the setting is nowhere.
 * @param {string} variable of the environment
 * @param {'base_url' | 'management_key' | 'webhook_secret'} member of the credentials file
 * @returns {string}
 */
export function setting(variable, member) {
  const value = process.env[variable] || memberOfFile(member);
  if (typeof value === 'string') return value;
  console.error(`Set ${variable}, or run npm start in the repository: ${file} has no ${member}`);
  process.exit(2);
}

/** @param {string} member */
function memberOfFile(member) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))[member];
  } catch {
    return undefined;
  }
}

// No service at the address, or a key of another one: one line says it. Everything else is a defect
// and keeps its stack.
process.on('uncaughtException', (error) => {
  const isOfService = ['ApiError', 'ConnectionError', 'TimeoutError'].includes(error.name);
  console.error(isOfService ? `${error.name}: ${error.message}` : error);
  process.exit(1);
});
