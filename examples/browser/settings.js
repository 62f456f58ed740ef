// The settings of server.js: all from the environment or, locally, all from the credentials file of
// `npm start`. A shop never has the management key: the operator creates two other keys for it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const { CLOAKROOM_CREDENTIALS: credentialsFile = join(ROOT, '.local/credentials.json'), PORT = '3000' } =
  process.env;
const VARIABLES = ['CLOAKROOM_URL', 'CLOAKROOM_FIELDS_URL', 'CLOAKROOM_PUBLIC_KEY', 'CLOAKROOM_PRIVATE_KEY'];

// The page creates cards and nothing else: in another container a reader could have more rights.
const PAGE = {
  name: 'Checkout page',
  type: 'public',
  rules: [{ priority: 1, container: '/pci/', transform: 'redact', permissions: ['token:create'] }],
};
const SHOP = {
  name: 'Shop',
  type: 'private',
  rules: [{ priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] }],
};

/** Ends the process with one line. */
export function fail(problem) {
  console.error(problem);
  process.exit(2);
}

function credentials() {
  try {
    return JSON.parse(readFileSync(credentialsFile, 'utf8'));
  } catch {
    return fail(
      `Set ${VARIABLES.join(', ')}, or run npm start in the repository: ${credentialsFile} cannot be read`,
    );
  }
}

/** The key of a new application. */
async function keyOf({ base_url: url, management_key: managementKey }, application) {
  const answer = await fetch(`${url}/applications`, {
    method: 'POST',
    headers: { 'SVC-API-KEY': managementKey, 'Content-Type': 'application/json' },
    body: JSON.stringify(application),
  }).catch(() => fail(`The service at ${url} is unreachable: is npm start still running?`));
  if (!answer.ok) fail(`${url} rejects the management key of ${credentialsFile}: ${String(answer.status)}`);
  return (await answer.json()).key;
}

async function service() {
  const missing = VARIABLES.filter((variable) => !process.env[variable]);
  if (missing.length === 0) {
    const [serviceUrl, fieldsUrl, publicKey, privateKey] = VARIABLES.map((variable) => process.env[variable]);
    if (![serviceUrl, fieldsUrl].every((address) => URL.canParse(address)))
      fail('CLOAKROOM_URL and CLOAKROOM_FIELDS_URL must be addresses such as https://vault.example.com');
    return { serviceUrl, fieldsUrl, publicKey, privateKey };
  }
  if (missing.length < VARIABLES.length)
    fail(`Set ${missing.join(' and ')} as well, or none of ${VARIABLES.join(', ')}`);
  const local = credentials();
  return {
    serviceUrl: local.base_url,
    fieldsUrl: local.fields_url,
    publicKey: await keyOf(local, PAGE),
    privateKey: await keyOf(local, SHOP),
  };
}

/** Ends the process with one line if something is missing. */
export async function settings() {
  const port = /^\d+$/.test(PORT) ? Number(PORT) : Infinity;
  if (port > 65_535) fail(`PORT must be a number from 0 to 65535: ${PORT}`);
  return { ...(await service()), port };
}
