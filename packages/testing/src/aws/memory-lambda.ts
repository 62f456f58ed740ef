import { createHash } from 'node:crypto';
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
} from '@aws-sdk/client-lambda';
import { unzipSync } from 'fflate';
import { perImage } from '../../../../src/lambda/layer-environment.ts';
import { ENVIRONMENT } from '../functions.ts';

/** The function of a reactor has its code by version, and an alias for one of them. */
interface MemoryFunction {
  readonly versions: ReadonlyMap<string, string>;
  readonly latest: number;
  readonly live?: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** `replaceFunctions` accepts these. */
export type Functions = ReadonlyMap<string, MemoryFunction>;

const METADATA = { $metadata: { httpStatusCode: 404 } };
const missing = () => new ResourceNotFoundException({ message: 'there is no such function', ...METADATA });
const conflict = () => new ResourceConflictException({ message: 'it exists', ...METADATA });

const FILE = 'reactor.js';
const codeOf = (archive: Uint8Array = new Uint8Array()): string =>
  Buffer.from(unzipSync(archive)[FILE] ?? []).toString();

/** Runs code for an event of the runtime; resolves with the response of the runtime. */
export type RunCode = (code: string, event: string) => Promise<string>;

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

  #create({ FunctionName: name = '', Code, Tags: tags = {} }: CreateFunctionCommand['input']) {
    if (this.#functions.has(name)) throw conflict();
    this.#functions.set(name, { versions: new Map([['1', codeOf(Code?.ZipFile)]]), latest: 1, tags });
    return { Version: '1' };
  }

  /** Lambda makes no version of code that the latest one has. */
  #publish({ FunctionName: name = '', ZipFile }: UpdateFunctionCodeCommand['input']) {
    const found = this.#find(name);
    const code = codeOf(ZipFile);
    if (found.versions.get(String(found.latest)) === code) return { Version: String(found.latest) };
    const latest = found.latest + 1;
    const versions = new Map([...found.versions, [String(latest), code]]);
    this.#functions.set(name, { ...found, versions, latest });
    return { Version: String(latest) };
  }

  #configuration({ FunctionName, Qualifier = '$LATEST' }: GetFunctionCommand['input']) {
    const { live, latest, tags } = this.#find(FunctionName);
    const version = Qualifier === 'live' ? live : Qualifier;
    if (version === undefined) throw missing();
    return {
      Configuration: {
        State: 'Active',
        LastUpdateStatus: 'Successful',
        Version: version === '$LATEST' ? String(latest) : version,
        Layers: [{ Arn: perImage.parse(ENVIRONMENT['REACTOR_LAYERS']).node16 }],
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
    const code = versions.get(Qualifier === 'live' ? live : Qualifier);
    if (code === undefined) throw missing();
    const event = Buffer.from(Payload as Uint8Array).toString();
    const { code_sha256: expected } = JSON.parse(event) as { readonly code_sha256: string };
    const isStale = createHash('sha256').update(code).digest('hex') !== expected;
    return { Payload: Buffer.from(isStale ? '{"outcome":"stale"}' : await this.#run(code, event)) };
  }
}
