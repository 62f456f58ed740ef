// The settings of the example: all from the environment, or all from the credentials file of a
// running `npm start`. A mixture could send a key to the host of another service.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const {
  CLOAKROOM_CREDENTIALS: file = fileURLToPath(new URL('../../.local/credentials.json', import.meta.url)),
} = process.env;

/**
 * Ends the process with one line.
 * @param {string} problem
 * @returns {never}
 */
export function fail(problem) {
  console.error(problem);
  process.exit(2);
}

/**
 * The values of the variables. In the credentials file they have the same names in lower case.
 * @param {string[]} variables
 * @returns {string[]}
 */
export function settings(...variables) {
  const set = variables.filter((variable) => process.env[variable]);
  const credentials = set.length === 0 ? readCredentials() : {};
  return variables.map((variable) => {
    const value = process.env[variable] || credentials[variable.toLowerCase()];
    if (typeof value === 'string') return value;
    if (set.length > 0) return fail(`Set ${variable} as well, or none of ${variables.join(', ')}`);
    return fail(
      `Set ${variables.join(' and ')}, or run npm start in the repository: ${file} has no ${variable.toLowerCase()}`,
    );
  });
}

function readCredentials() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

// Failures outside of this program are one line. Any other error is a defect and shows its stack.
process.on('uncaughtException', (error) => {
  if ('code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
    fail(
      '@cloakroom/sdk is missing: npm run build -- sdk in the repository, then npm install in this folder',
    );
  const isOfService = ['ApiError', 'ConnectionError', 'TimeoutError'].includes(error.name);
  console.error(isOfService ? `${error.name}: ${error.message}` : error);
  process.exit(1);
});
