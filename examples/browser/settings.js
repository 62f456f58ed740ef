// The settings of server.js: all from the environment or, locally, all from the credentials file of
// `npm start`. A shop never has the management key: the operator creates two other keys for it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const {
  CLOAKROOM_CREDENTIALS: credentialsFile = join(ROOT, '.local/credentials.json'),
  CLOAKROOM_SDK: sdkFile = join(ROOT, 'packages/sdk/dist/browser.min.js'),
  PORT = '3000',
} = process.env;
const VARIABLES = ['CLOAKROOM_URL', 'CLOAKROOM_PUBLIC_KEY', 'CLOAKROOM_PRIVATE_KEY'];

const PAGE = { name: 'Checkout page', type: 'public', permissions: ['token:create'] };
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
      `Set CLOAKROOM_URL, CLOAKROOM_PUBLIC_KEY and CLOAKROOM_PRIVATE_KEY, or run npm start in the repository: ${credentialsFile} cannot be read`,
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
    const [serviceUrl, publicKey, privateKey] = VARIABLES.map((variable) => process.env[variable]);
    if (!URL.canParse(serviceUrl)) fail('CLOAKROOM_URL must be an address such as https://vault.example.com');
    return { serviceUrl, publicKey, privateKey };
  }
  if (missing.length < VARIABLES.length)
    fail(`Set ${missing.join(' and ')} as well, or none of ${VARIABLES.join(', ')}`);
  const local = credentials();
  return {
    serviceUrl: local.base_url,
    publicKey: await keyOf(local, PAGE),
    privateKey: await keyOf(local, SHOP),
  };
}

/** Ends the process with one line if something is missing. */
export async function settings() {
  if (!existsSync(sdkFile))
    fail(`Set CLOAKROOM_SDK, or run npm run build -- sdk in the repository: ${sdkFile} is missing`);
  const port = /^\d+$/.test(PORT) ? Number(PORT) : Infinity;
  if (port > 65_535) fail(`PORT must be a number from 0 to 65535: ${PORT}`);
  return { ...(await service()), sdkFile, port };
}
