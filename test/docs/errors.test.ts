import { readFileSync } from 'node:fs';
import { problemCodes, PROBLEMS } from '../../src/wire/problem.ts';
import { statusesOf } from '../../tools/docs/site-reference.ts';

describe('the page of an error code', () => {
  it.each(problemCodes())('%s shows responses that the service can have', (code) => {
    const page = readFileSync(`docs/errors/${code}.md`, 'utf8');
    const blocks = [...page.matchAll(/^```json\n([^]*?)^```$/gm)].map(
      ([, text = '']) => JSON.parse(text) as Record<string, any>,
    );
    expect(blocks.length).toBeGreaterThan(0);
    const titles = Object.values(PROBLEMS).map(({ title }) => title);
    for (const block of blocks) {
      const problem = block['proxy_error'] ?? block;
      expect(problem).toMatchObject({ type: `/docs/errors/${code}`, code });
      expect(statusesOf(code)).toContain(problem.status);
      expect([...titles, 'Internal Server Error']).toContain(problem.title);
    }
  });
});
