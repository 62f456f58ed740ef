import type { Cast } from '../run.ts';
import type { Answer } from '../service.ts';

export type Body = Answer['body'];

/** Sentences on what is wrong. */
export type Found = readonly string[];

/** Reads a list from its first page to its last. */
export async function walk({ service }: Cast, key: string, path: string): Promise<readonly Body[]> {
  const all: Body[] = [];
  let after = '';
  do {
    const cursor = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const answer = await service.request('judge', { method: 'GET', path: `${path}?size=100${cursor}`, key });
    if (answer?.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    all.push(...(answer.body.data as readonly Body[]));
    after = (answer.body.pagination.after as string | undefined) ?? '';
  } while (after !== '');
  return all;
}
