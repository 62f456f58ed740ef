import { nearestName, normalized } from '../core/shared/known-names.ts';

/** Names that restrict in the same way. */
interface Kind {
  /** The members of the interface that set it. */
  readonly members: readonly string[];
  /**
   * Matches the normalized names that other services have for it. Absent if these are ordinary
   * words.
   */
  readonly names?: RegExp;
}

/*
 * Kinds of names that narrow a right or a life (docs/lenient.md#spelling). A name matches wherever
 * it contains one of these. If ordinary words contain it, as `settlement` does `ttl`, it must be at
 * an end.
 */
const KINDS: readonly Kind[] = [
  {
    members: ['expires_at'],
    names:
      /expir|ttl$|^ttl|timetolive|lifetime|lifespan|maxage(?!n)|notafter|until$|valid(?:to(?!ken)|until|till|thr|for(?!m)|before|ity)|^endsat$|^enddate$|(?:revoke|terminates?|deactivated?|disabled?)at|retention|^maxuses$/,
  },
  {
    members: ['permissions', 'permission'],
    names: /permiss?ion|^den(?:y|ied)|exclud|effect$|(?:allow|deny|block|black|white)list|^allowed|readonly/,
  },
  // The code of a reactor has the rights of this application.
  { members: ['application'] },
  {
    members: ['source_addresses'],
    names:
      /source(?:address|ip|network|range)|cidr|networks$|subnet|firewall|trusted(?:ip|net|host)|(?:^|allow|permitted|authorized|client)ips$|^ip(?:list|acl)?$|ipranges?$|ipaddress/,
  },
  {
    members: ['through', 'ephemeral_proxy'],
    names:
      /through|^thru$|^via$|ephemeral|^prox(?:y|ies)(?:ids?)?$|^reactors$|^reactorids?$|destinations?$|^targets$/,
  },
  { members: ['rules'], names: /rules?$/ },
  { members: ['containers', 'container'], names: /container/ },
  { members: ['conditions'], names: /condition|criteri|filter|scope|^where$|^match(?:es)?$/ },
  { members: ['mask'], names: /mask|redact/ },
  // A reactor beside a proxy transforms what passes it, in other services.
  {
    members: ['transform', 'request_transforms', 'response_transforms'],
    names: /transform|(?:request|response)reactor/,
  },
  { members: ['deduplicate_token', 'deduplicate_tokens'], names: /dedup/ },
  // Other services have these names.
  { members: [], names: /privacy|impactlevel|restrict/ },
  { members: ['attribute', 'operator', 'priority', 'query', 'settings', 'timeout_ms', 'value'] },
  // Limits what callers of a proxy may ask for.
  { members: ['methods', 'paths'] },
  // A mask that must find something: without it, an answer without a match passes as it is.
  { members: ['required'] },
  // How old a signed request may be.
  { members: ['timestamp', 'tolerance_seconds'] },
];

/** Members that narrow a right or a life. A similar name that is not a member is refused. */
export const RESTRICTING: ReadonlySet<string> = new Set(KINDS.flatMap(({ members }) => members));

/** Members that narrow a right or a life in whatever object they are. */
const RESTRICTING_ANYWHERE: ReadonlySet<string> = new Set(
  KINDS.filter(({ names }) => names !== undefined)
    .flatMap(({ members }) => members)
    .map(normalized),
);

/** A right to create applications in other services. It has no effect here. */
const HARMLESS: ReadonlySet<string> = new Set(['cancreateexpiringapplications']);

/**
 * Whether a name that is none of the `known` ones restricts, and the known member that it may mean.
 * It restricts if it is similar to a restricting one, or if it is of one of the kinds and its value
 * is not `null`.
 */
export function restrictionOf(
  name: string,
  value: unknown,
  known: readonly string[],
): { readonly meant: string | undefined } | undefined {
  // Separators are removed, because a name with a colon is similar only to other names with one.
  const letters = normalized(name);
  const near = nearestName(letters, known);
  if (near !== undefined && RESTRICTING.has(near)) return { meant: near };
  if (value === null || HARMLESS.has(letters)) return undefined;
  const kind = KINDS.find(({ names }) => names?.test(letters));
  return kind && { meant: kind.members.find((member) => known.includes(member)) };
}

/** How deep the value of an ignored member is searched. */
const SEARCHED_DEPTH = 3;

/**
 * The path in an ignored value to a member that restricts, such as `expires_at` under `options`;
 * `undefined` if there is none. The search ends when `isLeft`, called for each name, returns
 * `false`.
 */
export function restrictionInside(
  value: unknown,
  isLeft: () => boolean,
  depth = SEARCHED_DEPTH,
): readonly (string | number)[] | undefined {
  if (typeof value !== 'object' || value === null || depth === 0) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (!isLeft()) return undefined;
    const place = Array.isArray(value) ? Number(name) : name;
    if (member !== null && RESTRICTING_ANYWHERE.has(normalized(name))) return [place];
    const inside = restrictionInside(member, isLeft, depth - 1);
    if (inside !== undefined) return [place, ...inside];
  }
  return undefined;
}
