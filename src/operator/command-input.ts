import * as z from 'zod/mini';
import { DEPLOYMENT, FORMS } from '../core/audit/audit-record.ts';
import { WRAPPING_KEYS } from '../core/operator/wrap-roots.ts';
import { ServiceError } from '../core/shared/service-error.ts';
import { parseIsoTimestamp } from '../core/shared/timestamp.ts';
import {
  COMMAND_NAMES,
  COMMANDS,
  FLAGS,
  flagsOf,
  IMAGE_NAMES,
  INSTANCES_MAX,
  isSent,
  LIMIT_MAX,
  PACKAGE,
  takesDeployment,
  type CommandName,
  type FlagName,
  type FlagOf,
  type SentFlag,
} from './command-names.ts';

/** Parses an ISO 8601 time, and returns ms since the epoch. */
const time = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const at = parseIsoTimestamp(text)?.at;
    if (at !== undefined) return at;
    context.issues.push({ code: 'custom', input: text, message: 'must be an ISO 8601 time' });
    return z.NEVER;
  }),
);

/** Parses the name of a package, or one with an exact version: `@scope/name@1.2.3`. */
const wantedPackage = z.pipe(
  z.string().check(z.maxLength(500), z.regex(PACKAGE)),
  z.transform((text) => {
    const { name = '', version } = PACKAGE.exec(text)?.groups ?? {};
    return { name, version };
  }),
);

const DAY_MS = 24 * 60 * 60 * 1000;
/** Reads a number of days, such as `90d`, in ms. */
const days = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{0,3}d$/)),
  z.transform((text) => Number(text.slice(0, -1)) * DAY_MS),
);

/** The longest life of a management key that an operator makes, in ms. */
const LIFE_MAX_MS = 30 * DAY_MS;

/**
 * Schemas of flag values. Every principal with the right to invoke the function can send any
 * payload.
 */
const VALUES = {
  name: z.string(),
  tenant: z.uuid(),
  confirm: z.string(),
  'wrapped-by': z.enum(WRAPPING_KEYS),
  expires: days.check(z.maximum(LIFE_MAX_MS, 'must be at most 30d')),
  start: z._default(z.boolean(), false),
  invocation: z.uuid(),
  limit: z._default(z.int().check(z.minimum(1), z.maximum(LIMIT_MAX)), 100),
  'older-than': days,
  'unused-for': days,
  token: z.string().check(z.minLength(1)),
  form: z.enum(FORMS),
  'without-index': z._default(z.boolean(), false),
  from: time,
  to: time,
  index: z._default(z.boolean(), false),
  key: z.string(),
  image: z.enum(IMAGE_NAMES),
  generation: z.int().check(z.minimum(1)),
  instances: z.int().check(z.minimum(0), z.maximum(INSTANCES_MAX)),
  none: z._default(z.boolean(), false),
  'dry-run': z._default(z.boolean(), false),
  outdated: z._default(z.boolean(), false),
  package: wantedPackage,
  seal: z.string().check(z.regex(/^[\w-]{43}$/)),
} as const satisfies Readonly<Record<SentFlag, z.ZodMiniType>>;

/** The members that the payload of a command has. */
export type Command<Name extends CommandName> = {
  readonly [Flag in Extract<Needed<Name>, SentFlag> as (typeof FLAGS)[Flag]['member']]: z.output<
    (typeof VALUES)[Flag]
  >;
} & {
  readonly [
    Flag in Exclude<Extract<FlagOf<Name>, SentFlag>, Needed<Name>> as (typeof FLAGS)[Flag]['member']
  ]: z.output<(typeof VALUES)[Flag]> | (undefined extends z.input<(typeof VALUES)[Flag]> ? never : undefined);
};

type Needed<Name extends CommandName> = (typeof COMMANDS)[Name]['needs'][number];

const trail = z.union([z.uuid(), z.literal(DEPLOYMENT)]);

const openChunk = z.object({
  to: z.int(),
  after: z.string(),
  open: z.array(z.tuple([z.string(), z.int()])),
});

/** Members without a flag: where the previous step ended, and the mode of the schedule. */
const UNFLAGGED: Readonly<Partial<Record<CommandName, z.core.$ZodShape>>> = {
  'list-keys': { after: z.optional(z.uuid()) },
  'index-cards': { after: z.optional(z.string()) },
  'list-reactors': { after: z.optional(z.string()) },
  'who-saw': { at: z.optional(z.object({ tenant_id: trail, before: z.optional(z.string()) })) },
  'export-audit': { at: z.optional(z.int()) },
  'verify-audit': { chunk: z.nullish(openChunk), latest: z.optional(z.boolean()) },
};

const named = z.object({ command: z.enum(COMMAND_NAMES) });
/** The AWS principal that the payload names. */
const from = z.object({ principal: z.optional(z.string()) });

function membersOf(name: CommandName) {
  const needs: readonly FlagName[] = COMMANDS[name].needs;
  const members = flagsOf(name)
    .filter(isSent)
    .map((flag): [string, z.ZodMiniType] => {
      const value = flag === 'tenant' && takesDeployment(name) ? trail : VALUES[flag];
      return [FLAGS[flag].member, needs.includes(flag) ? value : z.optional(value)];
    });
  return z.object({ ...Object.fromEntries(members), ...UNFLAGGED[name] });
}

/** Throws a `ServiceError` that names the invalid members in one line. */
function parsed<Schema extends z.ZodMiniType>(schema: Schema, payload: unknown): z.output<Schema> {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const members = new Set(result.error.issues.map(({ path }) => path.join('.') || 'all of it'));
  throw new ServiceError(
    'validation_failed',
    `Missing or invalid in the payload: ${[...members].join(', ')}.`,
  );
}

/** A payload whose members are those of its command. */
export interface CommandInput {
  readonly command: CommandName;
  readonly input: unknown;
  readonly tenantId?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly principal: string;
}

/** Checks the payload of an invocation. Throws `validation_failed`. */
export function parseCommand(payload: unknown): CommandInput {
  const { command } = parsed(named, payload);
  const input = parsed(membersOf(command), payload);
  const { principal = '' } = parsed(from, payload);
  const { tenant_id: tenantId, token_id: tokenId } = input as {
    readonly tenant_id?: string;
    readonly token_id?: string;
  };
  return { command, input, tenantId, tokenId, principal };
}
