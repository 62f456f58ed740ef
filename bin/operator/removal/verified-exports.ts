import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { verifyFile } from '../audit-files.ts';
import { CommandFailure, UsageError } from '../explain-failure.ts';

/** A trail that ends with its export: requests after it would be recorded nowhere else. */
const LONGEST_AGE_MS = 86_400_000;

const header = z.object({
  export: z.literal(1),
  tenant: z.string(),
  from: z.string().optional(),
  to: z.string().optional(),
  at: z.string(),
});
const sealLine = z.object({ seal: z.object({ body: z.string() }) });
const sealBody = z.object({
  expires: z.number().optional(),
  entries: z.array(z.tuple([z.string()], z.unknown())),
});

interface ReadExport {
  readonly trail: string;
  readonly isWhole: boolean;
  readonly at: Date;
  /** The trails with records that have not expired, by the seals of the export. */
  readonly sealed: ReadonlySet<string>;
}

function parsed(file: string, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new CommandFailure(`${file} is no export of the audit trail`);
  }
}

async function readExport(file: string, now: Date): Promise<ReadExport> {
  const sealed = new Set<string>();
  let first: z.infer<typeof header> | undefined;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const value = parsed(file, line);
    first ??= header.safeParse(value).data;
    const seal = sealLine.safeParse(value).data?.seal;
    if (seal === undefined) continue;
    const { expires = 0, entries } = sealBody.parse(parsed(file, seal.body));
    if (expires * 1_000 > now.getTime()) for (const [trail] of entries) sealed.add(trail);
  }
  if (first === undefined) throw new CommandFailure(`${file} is no export of the audit trail`);
  const { tenant: trail, from, to, at } = first;
  return { trail, isWhole: from === undefined && to === undefined, at: new Date(at), sealed };
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    throw new UsageError(`--exports ${folder}: is no folder that can be read`);
  }
}

/**
 * Verifies all files of a folder as exports of whole trails. Throws {@link CommandFailure} unless
 * they are intact, of the last day, and contain every trail that their seals name: that of each
 * tenant, destroyed ones included, and that of the deployment.
 */
export async function requireExports(folder: string, keyFile: string, now: Date): Promise<void> {
  const exported = new Set<string>();
  const sealed = new Set(['deployment']);
  for (const file of filesIn(folder)) {
    const report = await verifyFile(file, keyFile);
    if (report['intact'] !== true)
      throw new CommandFailure(`${file} is not intact: verify-audit --file shows why`);
    const { trail, isWhole, at, sealed: named } = await readExport(file, now);
    if (!isWhole)
      throw new CommandFailure(`${file} has only a part of its trail: export it without --from and --to`);
    if (now.getTime() - at.getTime() > LONGEST_AGE_MS)
      throw new CommandFailure(`${file} is older than a day: export the trail again`);
    exported.add(trail);
    for (const each of named) sealed.add(each);
  }
  const missing = [...sealed].filter((trail) => !exported.has(trail));
  if (missing.length > 0)
    throw new CommandFailure(
      `${folder} lacks the export of ${missing.join(', ')}: run export-audit for each`,
    );
}
