// `npm run build -- sam`: writes the running local account as one template for `sam local`, and
// makes its AWS endpoint reachable for SAM's containers.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { functionEnvironments, functionOf, type LocalFunction } from './bench/local-functions.ts';
import { control } from '../packages/local-aws/src/control.ts';
import type { HttpApi } from '../packages/local-aws/src/gateway/gateway-definition.ts';
import { writeEventFiles } from './sam/write-event-files.ts';
import { startRelay } from './sam/start-relay.ts';
import { samTemplate, variablesOf, type NamedFunction } from './sam/template.ts';

const usage = `npm run build -- sam [options]

  --credentials FILE   the credentials file of the running service (default .local/credentials.json)
  --output DIR         where the template, the variables and the events are written (default .local)
  --host ADDRESS       this machine, as containers reach it (default: that of docker0, else host.docker.internal)
  --help               print this
`;

const credentialsSchema = z.object({
  base_url: z.string(),
  management_key: z.string(),
  aws_endpoint_url: z.string(),
  aws_region: z.string(),
  aws_access_key_id: z.string(),
  aws_secret_access_key: z.string(),
});

/** Docker Engine gives this machine an address; Docker Desktop gives it a name. */
function hostForContainers(): string {
  const bridge = networkInterfaces()['docker0']?.find(({ family }) => family === 'IPv4');
  return bridge?.address ?? 'host.docker.internal';
}

function idOf(folder: string): string {
  return folder.replaceAll(/(?:^|-)(.)/g, (_match, letter: string) => letter.toUpperCase());
}

/** Every function under the name of its folder: `reactor-worker` is `ReactorWorker`. */
function namedFunctions(running: readonly LocalFunction[]): readonly NamedFunction[] {
  const folders = readdirSync(join(import.meta.dirname, '..', 'functions'));
  return folders.map((folder) => ({ id: idOf(folder), function: functionOf(running, folder) }));
}

async function relayFor(
  awsEndpointUrl: string,
  host: string,
  functions: readonly NamedFunction[],
): Promise<number> {
  const tokens = functions.map(({ id, function: { environment } }) => {
    const token = environment['AWS_SESSION_TOKEN'];
    // The relay requires one of these tokens; an empty set would accept every caller.
    if (!token) throw new Error(`${id} has no session token`);
    return token;
  });
  return await startRelay({
    awsEndpointUrl,
    // Docker Desktop forwards connections to its name for this machine to the loopback interface.
    listenOn: isIP(host) === 0 ? '127.0.0.1' : host,
    sessionTokens: new Set(tokens),
  });
}

function headerPrefixOf(functions: readonly NamedFunction[]): string {
  const [first] = functions
    .map(({ function: { environment } }) => environment['HEADER_PREFIXES'])
    .filter(Boolean);
  return (first?.split(',')[0] ?? 'svc').toLowerCase();
}

function commands(directory: string): string {
  const at = (name: string): string => join(relative(process.cwd(), directory), name);
  const options = `-t ${at('sam.template.json')} --env-vars ${at('sam.env.json')}`;
  return `
sam local start-api ${options}
sam local invoke Tokens ${options} -e ${join(at('sam-events'), 'get-token.json')}

Ready: containers reach the AWS endpoint until Ctrl-C.
`;
}

async function run(credentialsFile: string, directory: string, host: string): Promise<void> {
  const credentials = credentialsSchema.parse(JSON.parse(readFileSync(credentialsFile, 'utf8')));
  const awsEndpointUrl = credentials.aws_endpoint_url;
  const functions = namedFunctions(await functionEnvironments(credentials));
  const api = (await control(credentials, 'api')) as HttpApi;
  const port = await relayFor(awsEndpointUrl, host, functions);
  const address = `http://${host}:${String(port)}`;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const write = (name: string, content: object): void =>
    writeFileSync(join(directory, name), `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  write('sam.template.json', samTemplate(functions, api, address));
  // The shell's variables override the template's, and this file overrides the shell's: no real AWS
  // credentials get in.
  const variables = new Map(functions.map((named) => [named.id, variablesOf(named.function, address)]));
  write('sam.env.json', Object.fromEntries(variables));
  await writeEventFiles(
    {
      baseUrl: credentials.base_url,
      managementKey: credentials.management_key,
      headerPrefix: headerPrefixOf(functions),
    },
    join(directory, 'sam-events'),
  );
  console.log(commands(directory));
}

function options() {
  return parseArgs({
    options: {
      credentials: { type: 'string', default: '.local/credentials.json' },
      output: { type: 'string', default: '.local' },
      host: { type: 'string', default: hostForContainers() },
      help: { type: 'boolean', default: false },
    },
  }).values;
}

try {
  const { credentials, output, host, help } = options();
  if (help) console.log(usage);
  else await run(credentials, resolve(output), host);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  console.error(
    `${message}\nnpm run build -- sam needs a running service: npm start. --help lists the options.`,
  );
  // The started parts would keep the process alive.
  process.exit(1);
}
