import { nearestName, normalized } from '../core/shared/known-names.ts';

/** A kind of restriction. */
interface Kind {
  /** The members of the interface that set it. */
  readonly members: readonly string[];
  /** Matches the normalized names that set it elsewhere; absent if these are ordinary words. */
  readonly names?: RegExp;
}

/*
 * What narrows a right or a life (docs/lenient.md#spelling). A name matches wherever it contains
 * one of these. Where ordinary words contain it, as `settlement` does `ttl`, it must be at an end.
 */
const KINDS: readonly Kind[] = [
  {
    members: ['expires_at'],
    names:
      /expir|ttl$|^ttl|timetolive|lifetime|lifespan|maxage(?!n)|notafter|until$|valid(?:to(?!ken)|until|till|thr|for(?!m)|ity)|retention/,
  },
  { members: ['permissions'], names: /permiss?ion/ },
  { members: ['rules'], names: /rules?$/ },
  { members: ['containers', 'container'], names: /container/ },
  { members: ['conditions'], names: /condition|criteri|filter|scope|^where$|^match(?:es)?$/ },
  { members: ['mask'], names: /mask|redact/ },
  { members: ['transform'], names: /transform/ },
  { members: ['deduplicate_token', 'deduplicate_tokens'], names: /dedup/ },
  // Of other services.
  { members: [], names: /privacy|impactlevel|restrict/ },
  { members: ['attribute', 'operator', 'priority', 'query', 'settings', 'timeout_ms', 'value'] },
];

/** Members that narrow a right or a life. A similar name that is no member is refused. */
export const RESTRICTING: ReadonlySet<string> = new Set(KINDS.flatMap(({ members }) => members));

/** Of other services: a right to create applications, which has no effect here. */
const HARMLESS: ReadonlySet<string> = new Set(['cancreateexpiringapplications']);

/**
 * Whether a name that is none of the `known` ones restricts, and the known member that it may mean:
 * it is similar to a restricting one, or its value is not `null` and it is of one of the kinds.
 */
export function restrictionOf(
  name: string,
  value: unknown,
  known: readonly string[],
): { readonly meant: string | undefined } | undefined {
  // Without its separators: a name with a colon is similar only to other names with one.
  const letters = normalized(name);
  const near = nearestName(letters, known);
  if (near !== undefined && RESTRICTING.has(near)) return { meant: near };
  if (value === null || HARMLESS.has(letters)) return undefined;
  const kind = KINDS.find(({ names }) => names?.test(letters));
  return kind && { meant: kind.members.find((member) => known.includes(member)) };
}
