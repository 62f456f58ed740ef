import {
  CreateAliasCommand,
  CreateFunctionCommand,
  DeleteFunctionCommand,
  GetFunctionCommand,
  InvokeCommand,
  ListVersionsByFunctionCommand,
  ResourceConflictException,
  ResourceNotFoundException,
  UpdateAliasCommand,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { isDeepStrictEqual } from 'node:util';
import { unzipSync } from 'fflate';
import { codeHash } from '../../../../src/core/reactors/code-hash.ts';
import { IMAGES, type Image } from '../../../../src/core/reactors/layer.ts';
import {
  packagePath,
  type PackageIndex,
  type PackagePlace,
} from '../../../../src/core/reactors/package-files.ts';
import { perImage } from '../../../../src/lambda/layer-environment.ts';
import { ENVIRONMENT } from '../functions.ts';

/** The code of a reactor, with the packages that it brings, if any. */
export interface RunnableCode {
  readonly code: string;
  readonly packages?: PackageIndex & {
    readonly code: string;
    readonly places: readonly PackagePlace[];
  };
}

/** Code on the layer of its image. */
interface MemoryVersion {
  readonly code: RunnableCode;
  readonly layer: string;
}

/** The function of a reactor has its versions, and an alias for one of them. */
interface MemoryFunction {
  readonly versions: ReadonlyMap<string, MemoryVersion>;
  readonly latest: number;
  /** The next version gets it. */
  readonly layer: string;
  readonly live?: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** `replaceFunctions` accepts these. */
export type Functions = ReadonlyMap<string, MemoryFunction>;

const METADATA = { $metadata: { httpStatusCode: 404 } };
const missing = () => new ResourceNotFoundException({ message: 'there is no such function', ...METADATA });
const conflict = () => new ResourceConflictException({ message: 'it exists', ...METADATA });

const FILE = 'reactor.js';

function codeOf(archive: Uint8Array = new Uint8Array()): RunnableCode {
  const files = unzipSync(archive);
  const text = (path: string) => Buffer.from(files[path] ?? []).toString();
  const code = text(FILE);
  if (files[packagePath('index')] === undefined) return { code };
  const index = JSON.parse(text(packagePath('index'))) as PackageIndex;
  const places = JSON.parse(text(packagePath('places'))) as readonly PackagePlace[];
  return { code, packages: { ...index, code: text(packagePath('code')), places } };
}

/** Runs code of an image for an event of the runtime; resolves with the response of the runtime. */
export type RunCode = (code: RunnableCode, event: string, image: Image) => Promise<string>;

const LAYERS = perImage.parse(ENVIRONMENT['REACTOR_LAYERS']);

function imageOf(layer: string): Image {
  const found = IMAGES.find((image) => LAYERS[image] === layer);
  if (found === undefined) throw new Error(`the Lambda in memory has no layer ${layer}`);
  return found;
}

/** The functions of reactors, as Lambda has them. `run` takes the place of their runtime. */
export class MemoryLambda {
  readonly #run: RunCode;
  #functions = new Map<string, MemoryFunction>();

  constructor(run: RunCode) {
    this.#run = run;
  }

  get functions(): Functions {
    return new Map(this.#functions);
  }

  replaceFunctions(functions: Functions): void {
    this.#functions = new Map(functions);
  }

  async send(command: { readonly input: unknown }): Promise<unknown> {
    if (command instanceof CreateFunctionCommand) return this.#create(command.input);
    if (command instanceof UpdateFunctionCodeCommand) return this.#publish(command.input);
    if (command instanceof UpdateFunctionConfigurationCommand) return this.#configure(command.input);
    if (command instanceof GetFunctionCommand) return this.#configuration(command.input);
    if (command instanceof CreateAliasCommand) return this.#point(command.input, true);
    if (command instanceof UpdateAliasCommand) return this.#point(command.input, false);
    if (command instanceof ListVersionsByFunctionCommand) return this.#versions(command.input);
    if (command instanceof DeleteFunctionCommand) return this.#delete(command.input);
    if (command instanceof InvokeCommand) return this.#invoke(command.input);
    throw new Error(`the Lambda in memory does not know ${command.constructor.name}`);
  }

  #find(name = ''): MemoryFunction {
    const found = this.#functions.get(name);
    if (found === undefined) throw missing();
    return found;
  }

  #create(input: CreateFunctionCommand['input']) {
    const { FunctionName: name = '', Code, Tags: tags = {}, Layers: [layer = ''] = [] } = input;
    if (this.#functions.has(name)) throw conflict();
    const version = { code: codeOf(Code?.ZipFile), layer };
    this.#functions.set(name, { versions: new Map([['1', version]]), latest: 1, layer, tags });
    return { Version: '1' };
  }

  #configure({
    FunctionName: name = '',
    Layers: [layer = ''] = [],
  }: UpdateFunctionConfigurationCommand['input']) {
    this.#functions.set(name, { ...this.#find(name), layer });
    return {};
  }

  /** Lambda makes no version if the latest one has this code and this layer. */
  #publish({ FunctionName: name = '', ZipFile }: UpdateFunctionCodeCommand['input']) {
    const found = this.#find(name);
    const { layer } = found;
    const code = codeOf(ZipFile);
    const before = found.versions.get(String(found.latest));
    if (isDeepStrictEqual(before, { code, layer })) return { Version: String(found.latest) };
    const latest = found.latest + 1;
    const versions = new Map([...found.versions, [String(latest), { code, layer }]]);
    this.#functions.set(name, { ...found, versions, latest });
    return { Version: String(latest) };
  }

  #configuration({ FunctionName, Qualifier = '$LATEST' }: GetFunctionCommand['input']) {
    const { live, latest, tags, versions, layer } = this.#find(FunctionName);
    const version = Qualifier === 'live' ? live : Qualifier;
    if (version === undefined) throw missing();
    const arn = version === '$LATEST' ? layer : versions.get(version)?.layer;
    return {
      Configuration: {
        State: 'Active',
        LastUpdateStatus: 'Successful',
        Version: version === '$LATEST' ? String(latest) : version,
        Layers: [{ Arn: arn }],
        Architectures: [ENVIRONMENT['REACTOR_ARCHITECTURE']],
      },
      Tags: tags,
    };
  }

  #point(
    { FunctionName: name = '', FunctionVersion: version = '' }: UpdateAliasCommand['input'],
    isNew: boolean,
  ) {
    const found = this.#find(name);
    if ((!isNew && found.live === undefined) || !found.versions.has(version)) throw missing();
    if (isNew && found.live !== undefined) throw conflict();
    this.#functions.set(name, { ...found, live: version });
    return {};
  }

  #versions({ FunctionName }: ListVersionsByFunctionCommand['input']) {
    const { versions } = this.#find(FunctionName);
    return { Versions: ['$LATEST', ...versions.keys()].map((Version) => ({ Version })) };
  }

  #delete({ FunctionName: name = '', Qualifier }: DeleteFunctionCommand['input']) {
    const found = this.#find(name);
    if (Qualifier === undefined) this.#functions.delete(name);
    else {
      const versions = new Map(found.versions);
      versions.delete(Qualifier);
      this.#functions.set(name, { ...found, versions });
    }
    return {};
  }

  async #invoke({ FunctionName, Qualifier = '', Payload = new Uint8Array() }: InvokeCommand['input']) {
    const { versions, live = '' } = this.#find(FunctionName);
    const version = versions.get(Qualifier === 'live' ? live : Qualifier);
    if (version === undefined) throw missing();
    const { code } = version;
    const image = imageOf(version.layer);
    const event = Buffer.from(Payload as Uint8Array).toString();
    const { code_sha256: expected } = JSON.parse(event) as { readonly code_sha256: string };
    const isStale = codeHash(code.code, { image, ...code }) !== expected;
    return { Payload: Buffer.from(isStale ? '{"outcome":"stale"}' : await this.#run(code, event, image)) };
  }
}
