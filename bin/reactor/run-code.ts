import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createBuiltAssets } from '../start/built-assets.ts';
import { reactorNode, THIS_PLATFORM } from '../../lib/reactor-node.ts';
import { reactorLayer } from '../../lib/reactor-layer.ts';
import { startProcessInstance } from '../../packages/local-aws/src/lambda/custom-runtime/process-instance.ts';
import { parseRunOutcome } from '../../src/adapters/lambda/parse-run-outcome.ts';
import { codeHash } from '../../src/core/reactors/code-hash.ts';
import { REACTOR_MEMORY_MB, type Image } from '../../src/core/reactors/layer.ts';
import type { PackageBundle } from '../../src/core/reactors/package-bundle.ts';
import { packageFiles } from '../../src/core/reactors/package-files.ts';
import type { RunOutcome } from '../../src/core/reactors/reactor-runner.ts';
import type { Connection } from '../command-line/connection.ts';
import { UsageError } from '../command-line/failures.ts';

/** A run of code. */
export interface CodeRun {
  /** The name of the file that its author knows. */
  readonly file: string;
  readonly code: string;
  readonly args: object;
  readonly configuration: Readonly<Record<string, string>>;
  readonly isLenient: boolean;
  readonly image: Image;
  /** The code brings these packages. */
  readonly packages?: PackageBundle;
  /** `req.bt` calls this service. */
  readonly client?: Connection;
}

/** These limits apply to a synchronous invocation. */
export const TIME_MS = 28_000;

function eventOf({ code, image, packages, args, configuration, client }: CodeRun): string {
  return JSON.stringify({
    version: 1,
    code_sha256: codeHash(code, { image, ...(packages !== undefined && { packages }) }),
    request: { args, configuration },
    client:
      client === undefined
        ? null
        : { base_url: client.baseUrl, api_key: client.apiKey, header_prefix: client.headerPrefix },
    timeout_ms: TIME_MS,
  });
}

/** A function with the code, as Lambda would create it. */
function definitionOf(codeDirectory: string, layerDirectory: string) {
  return {
    functionName: 'reactor',
    version: '1',
    codeDirectory,
    layerDirectories: [layerDirectory],
    variables: {},
    handler: 'reactor.handler',
    runtime: 'provided.al2023',
    timeoutSeconds: TIME_MS / 1_000 + 10,
    memoryMb: REACTOR_MEMORY_MB,
    roleArn: '',
    logGroup: '',
    logStream: '',
  };
}

/** Prepares runs. Rejects with {@link UsageError} if the package with the Node is missing. */
export async function prepareRuntime(image: Image): Promise<void> {
  await createBuiltAssets('reactor-layer', THIS_PLATFORM)();
  const { file, remedy } = reactorNode(image, THIS_PLATFORM);
  if (file === undefined) throw new UsageError(remedy);
}

/**
 * Runs the code once like the service: with the layer's runtime, in a process behind a Runtime API.
 * Call {@link prepareRuntime} before. `print` receives its output, with the author's file name
 * instead of the runtime's copy.
 */
export async function runCode(options: CodeRun, print: (text: string) => void): Promise<RunOutcome> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cloakroom-try-')));
  const codeDirectory = join(folder, 'code');
  const temporaryDirectory = join(folder, 'tmp');
  const layerDirectory = join(folder, 'layer');
  for (const directory of [codeDirectory, temporaryDirectory, layerDirectory]) mkdirSync(directory);
  reactorLayer(options.image, THIS_PLATFORM, options.isLenient ? 'lenient' : 'strict').placeHere(
    layerDirectory,
  );
  const copy = join(codeDirectory, 'reactor.js');
  writeFileSync(copy, options.code);
  const { packages } = options;
  for (const [path, text] of Object.entries(packages === undefined ? {} : packageFiles(packages))) {
    mkdirSync(dirname(join(codeDirectory, path)), { recursive: true });
    writeFileSync(join(codeDirectory, path), text);
  }
  const instance = startProcessInstance({
    definition: definitionOf(codeDirectory, layerDirectory),
    region: 'us-east-1',
    credentials: { accessKeyId: '', secretAccessKey: '', sessionToken: '' },
    awsEndpointUrl: '',
    temporaryDirectory,
    log: (text) => print(text.replaceAll(copy, options.file).replaceAll(`${codeDirectory}/`, '')),
  });
  try {
    const requestId = 'try';
    const { failed, payload } = await instance.run({
      requestId,
      payload: eventOf(options),
      invokedFunctionArn: '',
    });
    return failed ? { outcome: 'exited' } : parseRunOutcome(Buffer.from(payload));
  } finally {
    await instance.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
