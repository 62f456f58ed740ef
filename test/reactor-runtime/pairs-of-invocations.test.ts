import { IMAGES } from '../../src/core/reactors/layer.ts';
import { AMPLE_MS, reactorsOn } from './a-reactor.ts';
import { IS_THOROUGH, randomOfFile } from '../../packages/test-kit/src/thoroughness.ts';
import { aPackageBundle } from '../support/builders/a-package-bundle.ts';
import type { ReactorProcess } from '../support/runtime-api.ts';
import { HOSTILE } from './hostile-programs.ts';

const random = randomOfFile();

/** All in the thorough run; otherwise those that once reached something, and some of the others. */
const PROGRAMS = HOSTILE.filter(({ reaches }) => IS_THOROUGH || reaches.includes('once') || random() < 0.15);

/**
 * Runs the program in its arguments, or is honest: stores a card for a while in the places that
 * code uses, and returns a value that depends on its own arguments only.
 */
const CODE = `const AsyncFunction = (async () => {}).constructor; const { join } = require('path');
module.exports = async (req) => {
  const { program, card } = req.args;
  if (program !== undefined) return { raw: await new AsyncFunction('req', 'require', '__filename', program)(req, require, __filename) };
  const left = require('fs').readdirSync(require('os').tmpdir()); if (left.length > 0) return { raw: left.slice(0, 9) };
  const text = JSON.stringify(card); globalThis.card = card; process.env.CARD = text;
  require('fs').writeFileSync(join(require('os').tmpdir(), 'card'), text);
  const { card: later } = await new Promise((resolve) => setTimeout(resolve, 1, { card: Buffer.from(text) }));
  return { raw: [...String(later)].reverse().join('') };
};`;

/** A card that is unique to an invocation. */
const cardOf = (at: number) => ({
  number: `4000${String(100_000_000_000 + at * 7_919)}`,
  cvc: `PLANT-${at.toString(36)}x`,
});

/** Code runs hostile programs itself, or a package of its own does. */
const PLACES = IS_THOROUGH ? (['code', 'package'] as const) : (['code'] as const);
const CASES = IMAGES.flatMap((image) => PLACES.map((place) => ({ image, place })));

describe.each(CASES)('$image, in the $place', ({ image, place }) => {
  const { withReactor } = reactorsOn(image);

  async function withCode(use: (reactor: ReactorProcess) => Promise<void>): Promise<void> {
    if (place === 'code') return withReactor(CODE, use);
    const { bundle: packages } = await aPackageBundle({ any: CODE });
    return withReactor("module.exports = require('any');", use, { packages });
  }

  describe('no invocation reaches another one', () => {
    it('there are enough hostile programs', () => {
      expect(HOSTILE.length).toBeGreaterThanOrEqual(110);
      expect(new Set(HOSTILE.map(({ name }) => name)).size).toBe(HOSTILE.length);
      expect(PROGRAMS.length).toBeGreaterThanOrEqual(IS_THOROUGH ? 110 : 20);
    });

    it('no hostile invocation is able to reach an honest one before or after it', async () => {
      await withCode(async (reactor) => {
        const planted: string[] = [];
        let invocations = 0;
        let before = 'nothing';
        const findings: string[] = [];
        const honest = async () => {
          const card = cardOf(planted.length);
          planted.push(card.number, card.cvc);
          const { response } = await reactor.invoke({ card });
          invocations += 1;
          const expected = Array.from(JSON.stringify(card)).reverse().join('');
          if (response?.value?.raw !== expected)
            findings.push(`after ${before}: answered ${JSON.stringify(response)}`);
        };
        for (const { name, code, ends } of PROGRAMS) {
          await honest();
          const limit = { timeout_ms: ends === 'timeout' ? 150 : AMPLE_MS };
          const { text, failure } = await reactor.invoke({ program: code, port: reactor.port }, limit);
          const result = text ?? JSON.stringify(failure);
          invocations += 1;
          before = name;
          const seen = result + reactor.printed();
          for (const plant of planted) if (seen.includes(plant)) findings.push(`${name} saw ${plant}`);
          // One process of the loop, which alone requests events; nothing else is left.
          if (reactor.started() !== 1) findings.push(`${name} ended the loop`);
          if (reactor.asked() > invocations + 1) findings.push(`${name} asked for events`);
        }
        await honest();
        expect(findings).toEqual([]);
      });
    });
  });
});
