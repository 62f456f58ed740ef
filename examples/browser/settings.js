// What server.js needs to know: from the environment, or, to try it on your machine, from the
// credentials file that `npm start` in the repository writes while its service runs. The server of
// a shop never has the management key: it gets its two keys from whoever runs the service.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const {
  CLOAKROOM_CREDENTIALS: credentialsFile = join(ROOT, '.local/credentials.json'),
  CLOAKROOM_SDK: sdkFile = join(ROOT, 'packages/sdk/dist/browser.min.js'),
  CLOAKROOM_URL: serviceUrl,
  CLOAKROOM_PUBLIC_KEY: publicKey,
  CLOAKROOM_PRIVATE_KEY: privateKey,
  PORT: port = '3000',
} = process.env;

const PAGE = { name: 'Checkout page', type: 'public', permissions: ['token:create'] };
const SHOP = {
  name: 'Shop',
  type: 'private',
  rules: [{ priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] }],
};

function fail(problem) {
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
  }).catch(() => fail(`No service answers at ${url}: does npm start still run?`));
  if (!answer.ok) fail(`${url} refuses the management key of ${credentialsFile}: ${String(answer.status)}`);
  return (await answer.json()).key;
}

async function service() {
  if (serviceUrl && publicKey && privateKey) return { serviceUrl, publicKey, privateKey };
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
  return { ...(await service()), sdkFile, port: Number(port) };
}
