import { placeOf } from '../../../tools/test/programs.ts';
import { launch, type Browser, type KeyInput, type Page } from 'puppeteer-core';
import { launchChromium } from '../chromium.ts';
import { temporaryFolder } from '../run-service.ts';
import type { Engine, EnginePage } from './engine.ts';

function enginePage(page: Page): EnginePage {
  // A busy machine is not taken for a fault.
  page.setDefaultTimeout(0);
  const { keyboard } = page;
  return {
    open: async (url) => void (await page.goto(url)),
    back: async () => void (await page.goBack()),
    evaluate: (expression) => page.evaluate(expression),
    async evaluateInFrame(index, expression) {
      const frame = page.mainFrame().childFrames()[index];
      if (frame === undefined) throw new Error(`There is no frame ${String(index)}`);
      return frame.evaluate(expression);
    },
    type: (text) => keyboard.type(text),
    async press(key: KeyInput, { shift = false } = {}) {
      if (shift) await keyboard.down('Shift');
      await keyboard.press(key);
      if (shift) await keyboard.up('Shift');
    },
    click: (selector) => page.click(selector),
    resize: (width, height) => page.setViewport({ width, height }),
  };
}

const engineOf = (browser: Browser): Engine => ({
  newPage: async () => enginePage(await browser.newPage()),
  close: () => browser.close(),
});

export const startChromium = async (): Promise<Engine> => engineOf(await launchChromium());

/** Firefox lets clicks reach a frame of another process only so. */
const FIREFOX_PREFERENCES = {
  'remote.events.async.mouse.enabled': true,
  'remote.events.async.enabled': true,
};

export async function startFirefox(): Promise<Engine> {
  const folder = temporaryFolder();
  return engineOf(
    await launch({
      browser: 'firefox',
      executablePath: placeOf('firefox-esr') ?? '',
      userDataDir: folder,
      extraPrefsFirefox: FIREFOX_PREFERENCES,
      protocolTimeout: 0,
      // A click outside of the real window is lost.
      env: { ...process.env, HOME: folder, MOZ_HEADLESS_WIDTH: '1500', MOZ_HEADLESS_HEIGHT: '1300' },
    }),
  );
}
