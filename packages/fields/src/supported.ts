import type { Failure } from './protocol.ts';

export const UNSUPPORTED: Failure = {
  code: 'browser_unsupported',
  message: 'This browser is too old for card fields: see docs/fields.md#browsers.',
};

/** Whether the browser has the youngest feature of a field: Safari since 16.4. */
export const hasStyleSheets = (): boolean => 'adoptedStyleSheets' in document;
