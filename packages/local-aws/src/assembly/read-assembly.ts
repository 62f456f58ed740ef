import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

// Members without an effect on one machine stay: they decide what an update may do.
const resourceSchema = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Condition: z.string().optional(),
  DeletionPolicy: z.string().optional(),
});

const outputSchema = z.object({
  Value: z.unknown(),
  Export: z.object({ Name: z.unknown() }).optional(),
  Condition: z.string().optional(),
});

const templateSchema = z.object({
  Description: z.string().optional(),
  Parameters: z.record(z.string(), z.object({ Default: z.unknown().optional() })).default({}),
  Conditions: z.record(z.string(), z.unknown()).default({}),
  Resources: z.record(z.string(), resourceSchema).default({}),
  Outputs: z.record(z.string(), outputSchema).default({}),
});

const artifactSchema = z.object({
  type: z.string(),
  /** `aws://ACCOUNT/REGION` */
  environment: z.string().optional(),
  dependencies: z.array(z.string()).default([]),
  properties: z
    .object({
      templateFile: z.string().optional(),
      file: z.string().optional(),
      stackName: z.string().optional(),
      directoryName: z.string().optional(),
      displayName: z.string().optional(),
    })
    .default({}),
});

const manifestSchema = z.object({ artifacts: z.record(z.string(), artifactSchema).default({}) });

const assetManifestSchema = z.object({
  files: z
    .record(
      z.string(),
      z.object({
        source: z.object({ path: z.string().optional(), packaging: z.string().optional() }),
        destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
      }),
    )
    .default({}),
  dockerImages: z.record(z.string(), z.unknown()).default({}),
});

/** The CDK's names for the account and the Region of the credentials. */
const UNKNOWN = ['unknown-account', 'unknown-region'];

export type Template = z.infer<typeof templateSchema>;
type Artifact = z.infer<typeof artifactSchema>;

/** A template with the sections and properties that it omits. Throws if it is none. */
export const parseTemplate = (template: unknown): Template => templateSchema.parse(template);

/** One stack of the app as synthesized, with unresolved references. */
export interface Stack {
  readonly name: string;
  readonly template: Template;
  /** Only set if the app names an account. */
  readonly account?: string;
  /** Only set if the app names a Region. */
  readonly region?: string;
}

/** A synthesized CDK app (`cdk.out`). */
export interface Assembly {
  /** A stack comes after every stack that it depends on. */
  readonly stacks: readonly Stack[];
  /** S3 object key of an asset -> its folder or file on disk. */
  readonly assets: ReadonlyMap<string, string>;
  /** The names of stacks that do not run here: their outputs are unknown. */
  readonly leftOut?: readonly string[];
}

export interface ReadOptions {
  /** A stage of the app, by its path or the end of it. */
  readonly stage?: string | undefined;
  /** Returns the stacks that run. Default: all. */
  readonly select?: ((stacks: readonly Stack[]) => readonly Stack[]) | undefined;
}

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Error(`not a synthesized app: cannot read ${path}`, { cause: error });
  });
  const parsed = schema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Artifact ids so that each follows its dependencies. */
function inDependencyOrder(artifacts: Readonly<Record<string, Artifact>>): string[] {
  const ordered = new Set<string>();
  const visit = (id: string): void => {
    if (ordered.has(id)) return;
    for (const dependency of artifacts[id]?.dependencies ?? []) visit(dependency);
    ordered.add(id);
  };
  for (const id of Object.keys(artifacts)) visit(id);
  return [...ordered];
}

async function readAssets(manifestFile: string): Promise<[objectKey: string, path: string][]> {
  const manifest = await readJson(manifestFile, assetManifestSchema);
  const image = Object.keys(manifest.dockerImages)[0];
  if (image !== undefined)
    throw new Error(`container image assets do not run locally: ${image} in ${manifestFile}`);
  return Object.values(manifest.files).flatMap(({ source, destinations }) => {
    const { path } = source;
    if (path === undefined) return [];
    return Object.values(destinations).map(({ objectKey }): [string, string] => [
      basename(objectKey),
      join(dirname(manifestFile), path),
    ]);
  });
}

async function readStack(directory: string, id: string, artifact: Artifact): Promise<Stack> {
  const { templateFile, stackName } = artifact.properties;
  if (templateFile === undefined) throw new Error(`stack ${id} has no template file`);
  const environment = (artifact.environment ?? '').replace('aws://', '').split('/');
  const [account = '', region = ''] = environment.map((name) => (UNKNOWN.includes(name) ? '' : name));
  return {
    name: stackName ?? id,
    template: await readJson(join(directory, templateFile), templateSchema),
    ...(account !== '' && { account }),
    ...(region !== '' && { region }),
  };
}

/** The account and Region in which an app runs here. */
export interface Place {
  readonly accountId: string;
  readonly region: string;
}

/** The place of an app that leaves account and Region to the credentials. */
export const NO_PLACE: Place = { accountId: '000000000000', region: 'us-east-1' };

function mostFrequent(names: readonly (string | undefined)[]): string | undefined {
  const counts = Map.groupBy(
    names.filter((name) => name !== undefined),
    (name) => name,
  );
  return [...counts].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}

/** The account and Region that most stacks of an app name: a few may be in that of CloudFront. */
export const placeOf = (stacks: readonly Pick<Stack, 'account' | 'region'>[]): Place => ({
  accountId: mostFrequent(stacks.map(({ account }) => account)) ?? NO_PLACE.accountId,
  region: mostFrequent(stacks.map(({ region }) => region)) ?? NO_PLACE.region,
});

/** It is the app itself, or a stage of it. */
interface Part {
  /** The path of a stage, such as `CloakroomPipeline/Production`; empty for the app. */
  readonly stage: string;
  /** Each stack with the files that list its assets. */
  readonly stacks: ReadonlyMap<Stack, readonly string[]>;
}

async function readParts(directory: string, stage: string): Promise<readonly Part[]> {
  const { artifacts } = await readJson(join(directory, 'manifest.json'), manifestSchema);
  const stacks = new Map<Stack, readonly string[]>();
  const stages: Part[] = [];
  const listOf = (id: string): readonly string[] => {
    const { type, properties } = artifacts[id] ?? {};
    return type === 'cdk:asset-manifest' && properties?.file !== undefined
      ? [join(directory, properties.file)]
      : [];
  };
  for (const id of inDependencyOrder(artifacts)) {
    const artifact = artifacts[id];
    if (artifact === undefined)
      throw new Error(`${directory}/manifest.json depends on ${id}, which it does not hold`);
    const { directoryName = id, displayName = id } = artifact.properties;
    if (artifact.type === 'cdk:cloud-assembly')
      stages.push(...(await readParts(join(directory, directoryName), displayName)));
    if (artifact.type === 'aws:cloudformation:stack')
      stacks.set(await readStack(directory, id, artifact), artifact.dependencies.flatMap(listOf));
  }
  return [{ stage, stacks }, ...stages];
}

/** An app has no stage of the name, or several that need one. */
export class StageError extends Error {
  override readonly name = 'StageError';
}

/** Throws for a stack that several stages deploy, each into an account or Region of its own. */
function requireOneStage(directory: string, parts: readonly Part[], running: readonly Stack[]): void {
  const all = parts.flatMap(({ stage, stacks }) =>
    running.filter((stack) => stacks.has(stack)).map(({ name }) => ({ name, stage })),
  );
  for (const [name, found] of Map.groupBy(all, (each) => each.name))
    if (found.length > 1)
      throw new StageError(
        `${directory} has the stack ${name} in several stages; name one: ${found.map(({ stage }) => stage).join(', ')}`,
      );
}

/**
 * Reads the stacks (in dependency order) and assets of a cloud assembly, or of one of its stages.
 * Throws {@link StageError}, or an Error that names the file if something is missing, malformed, or
 * of a kind that does not run locally.
 */
export async function readAssembly(
  directory: string,
  { stage, select = (stacks) => stacks }: ReadOptions = {},
): Promise<Assembly> {
  const all = await readParts(directory, '');
  const isWanted = (part: Part) => stage === undefined || `/${part.stage}`.endsWith(`/${stage}`);
  const parts = all.filter(isWanted);
  if (parts.length === 0) {
    const stages = all.flatMap((part) => (part.stage === '' ? [] : [part.stage]));
    throw new StageError(
      `${directory} has no stage ${String(stage)}; it has: ${stages.join(', ') || 'none'}`,
    );
  }
  const read = new Map(parts.flatMap(({ stacks }) => [...stacks]));
  const stacks = select([...read.keys()]);
  requireOneStage(directory, parts, stacks);
  const lists = new Set(stacks.flatMap((stack) => read.get(stack) ?? []));
  const assets = await Promise.all([...lists].map(readAssets));
  const leftOut = [...read.keys()].filter((stack) => !stacks.includes(stack)).map(({ name }) => name);
  return { stacks, assets: new Map(assets.flat()), leftOut };
}
