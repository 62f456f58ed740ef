import { z } from 'zod';
import { UsageError } from '../../command-line/failures.ts';
import { KINDS, UNFINISHED, type Plan } from '../model.ts';

/** The content of `config plan --out`: a plan, and the service that it is for. */
export interface PlanFile {
  readonly url: string;
  readonly plan: Plan;
}

const FORMAT = 1;

const NAME = '[a-z0-9][a-z0-9-]{0,62}';
const text = z.string().min(1);
const id = z.uuid();
const etag = z.string().regex(/^"[\x21\x23-\x7e]+"$/);
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const address = z.templateLiteral([
  z.enum(KINDS),
  '/',
  z.string().regex(new RegExp(`^${NAME}(${UNFINISHED})?$`)),
]);
const gives = z.enum(['more', 'less or same']);

const difference = z.strictObject({ path: text, words: z.string(), gives });

const access = z.strictObject({
  shown: z.enum(['nothing', 'redact', 'mask', 'reveal']),
  through: z.exactOptional(z.array(text)),
});

const effect = z.strictObject({
  container: z.exactOptional(text),
  permission: text,
  before: access,
  after: access,
  gives,
});

const key = z
  .strictObject({
    step: z.enum(['create', 'replace', 'change', 'delete', 'none', 'unknown']),
    name: z.exactOptional(text),
    id: z.exactOptional(id),
    title: z.exactOptional(text),
    etag: z.exactOptional(etag),
    replaces: z.array(z.strictObject({ id, etag })),
    to: z.exactOptional(z.strictObject({ kind: z.enum(['file', 'aws-secret']), name: text })),
    differences: z.array(difference),
    gives,
  })
  .refine(({ step, name, id: of, etag: tag, to, replaces }) => {
    if (step === 'change' || step === 'delete') return of !== undefined && tag !== undefined;
    if (step === 'create' || step === 'replace')
      return name !== undefined && to !== undefined && replaces.length > 0 === (step === 'replace');
    return true;
  });

const resource = z
  .strictObject({
    address,
    action: z.enum(['create', 'update', 'delete', 'adopt', 'rename', 'none']),
    id: z.exactOptional(id),
    etag: z.exactOptional(etag),
    from: z.exactOptional(address),
    differences: z.array(difference),
    effects: z.array(effect),
    keys: z.array(key),
    notes: z.array(text),
    gives,
  })
  .refine(
    ({ action, id: of, etag: tag, from }) =>
      (action === 'create') === (of === undefined) &&
      (of === undefined) === (tag === undefined) &&
      (action === 'rename') === (from !== undefined),
  );

const plan = z.strictObject({
  namespace: z.string().regex(new RegExp(`^${NAME}$`)),
  digest,
  tenant: z.strictObject({
    id,
    etag,
    action: z.enum(['update', 'none']),
    differences: z.array(difference),
    gives,
  }),
  resources: z.array(resource),
  notes: z.array(text),
  references: z.record(text, id),
  lockout: z.exactOptional(text),
  problems: z.array(z.strictObject({ address: z.exactOptional(text), words: text })),
});

const planFile = z.strictObject({
  cloakroom_plan: z.literal(FORMAT),
  url: z.url({ protocol: /^https?$/ }),
  plan,
});

/** The text of a plan file. It has neither a value nor code nor a key. */
export const planFileText = ({ url, plan: made }: PlanFile): string =>
  `${JSON.stringify({ cloakroom_plan: FORMAT, url, plan: made }, null, 2)}\n`;

/** Reads a plan file. Throws a {@link UsageError} for anything else. */
export function readPlanFile(content: string): PlanFile {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch {
    throw new UsageError('the plan file is no JSON: make it by `cloakroom config plan --out FILE`');
  }
  const read = planFile.safeParse(json);
  if (!read.success) {
    const [issue] = read.error.issues;
    const at = issue === undefined || issue.path.length === 0 ? 'its content' : issue.path.join('.');
    throw new UsageError(`the plan file is not one of this command: ${at} has another form`);
  }
  const { url, plan: made } = read.data;
  return { url, plan: made };
}
