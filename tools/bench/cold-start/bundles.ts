import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { filesOf } from '../../publishing/third-party.ts';
import { BUNDLE_OPTIONS, bundleInto } from '../../assets/bundle.ts';

/** Each is a folder under `functions/` and becomes a bundle. */
export const FUNCTIONS = [
  'tokens',
  'applications',
  'proxies',
  'proxy',
  'reactors',
  'logs',
  'reactor-worker',
  'webhook-sender',
  'sweeper',
  'audit-sealer',
  'operator',
  'operator-access',
  'republisher',
] as const;

export type FunctionName = (typeof FUNCTIONS)[number];

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-bundles-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Each package of the AWS SDK has a client of this class. */
export const CLIENTS: Readonly<Record<string, string>> = {
  'client-dynamodb': 'DynamoDBClient',
  'client-kms': 'KMSClient',
  'client-lambda': 'LambdaClient',
  'client-sqs': 'SQSClient',
};

/** This is no client, but every DynamoDB client here contains it. */
const DOCUMENT_CLIENT = 'lib-dynamodb';

export interface BundleFile {
  readonly file: string;
  readonly bytes: number;
  readonly gzipBytes: number;
}

export interface FunctionBundle extends BundleFile {
  /** The AWS SDK packages whose client the bundle contains, without their scope. */
  readonly clients: readonly string[];
}

function bundleFile(file: string): BundleFile {
  const content = readFileSync(file);
  return { file, bytes: content.length, gzipBytes: gzipSync(content).length };
}

/** A bundle cannot be smaller. */
export function emptyBundle(): string {
  const file = join(folder, 'empty.cjs');
  writeFileSync(file, 'exports.handler = () => {};');
  return file;
}

/** The bundle of a function as it is deployed; its sizes are those of what a start loads. */
export function bundleOf(name: FunctionName): FunctionBundle {
  const output = join(folder, name);
  const inputs = filesOf(bundleInto(output, `functions/${name}/index.ts`));
  const clients = inputs.flatMap(
    (input) => /node_modules\/@aws-sdk\/((?:client|lib)-[a-z0-9-]+)\//.exec(input)?.[1] ?? [],
  );
  return { ...bundleFile(join(output, 'index.cjs')), clients: [...new Set(clients)].toSorted() };
}

/** Lines that make clients as functions do. */
const OUR_CLIENTS = [
  "import { createAwsConnections, createClient, USUAL } from './src/adapters/aws/client-settings.ts';",
  "import { documentClient } from './src/adapters/aws/document-client.ts';",
  'const connections = createAwsConnections({ worldClock: Date.now });',
];

/**
 * A bundle that only creates a client of each package, DynamoDB's as a document client: unmodified,
 * or cut down and configured like a function's (`asOurs`), without the SDK's credential sources.
 */
export function referenceBundle(
  clients: readonly string[],
  { asOurs }: { readonly asOurs: boolean },
): BundleFile {
  const hasDocuments = clients.includes(DOCUMENT_CLIENT);
  const named = clients
    .filter((client) => client !== DOCUMENT_CLIENT)
    .map((client) => {
      const name = CLIENTS[client];
      if (name === undefined)
        throw new Error(`tools/bench/cold-start/bundles.ts does not know the class of ${client}`);
      return [client, name] as const;
    });
  const madeOf = (name: string) => {
    const client = asOurs ? `createClient(${name}, connections, USUAL)` : `new ${name}({})`;
    if (!hasDocuments || name !== 'DynamoDBClient') return client;
    return asOurs ? `documentClient(${client}, {})` : `DynamoDBDocumentClient.from(${client})`;
  };
  const contents = [
    ...(asOurs ? OUR_CLIENTS : []),
    ...named.map(([client, name]) => `import { ${name} } from '@aws-sdk/${client}';`),
    ...(hasDocuments && !asOurs
      ? [`import { DynamoDBDocumentClient } from '@aws-sdk/${DOCUMENT_CLIENT}';`]
      : []),
    `export const handler = [${named.map(([, name]) => madeOf(name)).join(', ')}];`,
  ].join('\n');
  const outfile = join(folder, `${clients.join('-')}${asOurs ? '-as-ours' : ''}.cjs`);
  const { absWorkingDir: resolveDir } = BUNDLE_OPTIONS;
  const alias = asOurs ? BUNDLE_OPTIONS.alias : {};
  buildSync({ ...BUNDLE_OPTIONS, alias, stdin: { contents, resolveDir, loader: 'ts' }, outfile });
  return bundleFile(outfile);
}
