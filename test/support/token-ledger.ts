/** Whether a resource exists: `maybe` after a write without a response. */
export type Existence = 'yes' | 'no' | 'maybe';

/**
 * The expected state of one token. Its data always begins with its mark, which no other token has.
 */
export interface LedgerToken {
  readonly mark: string;
  id?: string;
  exists: Existence;
  /** Data that it may have: several values after an update without a response. */
  data: Set<string>;
  revision: number;
  /** Has metadata, by which it can be listed and searched. */
  readonly isIndexed: boolean;
  /**
   * Tokens of one request: all of them exist or none, except for those that a client tried to
   * delete.
   */
  readonly group?: string;
  isDeleted?: true;
}

/** Records acknowledged writes, and writes that may have happened. */
export class TokenLedger {
  readonly tokens: LedgerToken[] = [];
  #marks = 0;
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Adds a token that is about to be created. */
  begin(more: { readonly isIndexed?: boolean; readonly group?: string } = {}): LedgerToken {
    this.#marks += 1;
    const mark = `${this.#prefix}-${String(this.#marks)}`;
    const token: LedgerToken = {
      mark,
      exists: 'maybe',
      data: new Set([`${mark}#0`]),
      revision: 0,
      isIndexed: more.isIndexed ?? false,
      ...(more.group !== undefined && { group: more.group }),
    };
    this.tokens.push(token);
    return token;
  }

  /**
   * Compares the tokens with the final list of the tenant; returns the differences in sentences.
   */
  compare(listed: readonly { readonly id: string; readonly data: unknown }[]): string[] {
    const problems: string[] = [];
    const byMark = new Map<string, { readonly id: string; readonly data: string }[]>();
    for (const { id, data } of listed) {
      if (typeof data !== 'string' || !data.startsWith(`${this.#prefix}-`)) continue;
      const [mark = ''] = data.split('#');
      byMark.set(mark, [...(byMark.get(mark) ?? []), { id, data }]);
    }
    const known = new Set(this.tokens.map(({ mark }) => mark));
    for (const mark of byMark.keys()) if (!known.has(mark)) problems.push(`${mark} was never created`);
    for (const token of this.tokens) problems.push(...this.#compareOne(token, byMark.get(token.mark) ?? []));
    return [...problems, ...this.#dividedGroups(byMark)];
  }

  #compareOne(
    { mark, id, exists, data }: LedgerToken,
    found: readonly { readonly id: string; readonly data: string }[],
  ): string[] {
    if (found.length > 1) return [`${mark} was created ${String(found.length)} times`];
    const [only] = found;
    if (only === undefined) return exists === 'yes' ? [`${mark} is lost (${String(id)})`] : [];
    if (exists === 'no') return [`${mark} was deleted and is there (${only.id})`];
    if (id !== undefined && only.id !== id) return [`${mark} was answered as ${id} and is ${only.id}`];
    return data.has(only.data) ? [] : [`${mark} is ${only.data}, not ${[...data].join(' or ')}`];
  }

  #dividedGroups(byMark: ReadonlyMap<string, unknown>): string[] {
    const groups = new Map<string, boolean[]>();
    for (const { group, mark, isDeleted } of this.tokens)
      if (group !== undefined && isDeleted === undefined)
        groups.set(group, [...(groups.get(group) ?? []), byMark.has(mark)]);
    return [...groups]
      .filter(([, there]) => there.includes(true) && there.includes(false))
      .map(([group]) => `the request ${group} has created some of its tokens`);
  }
}
