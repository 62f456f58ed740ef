// The types of the matchers for vitest 5: `import '@cloakroom/testing/vitest'`.
import type { VaultMatchers } from './index.js';

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void>, T> extends VaultMatchers<R> {}
}
