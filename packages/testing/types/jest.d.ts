// The types of the matchers for jest: `import '@cloakroom/testing/jest'`.
import type { VaultMatchers } from './index.js';

declare global {
  namespace jest {
    interface Matchers<R, T> extends VaultMatchers<R> {}
  }
}

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T> extends VaultMatchers<R> {}
}
