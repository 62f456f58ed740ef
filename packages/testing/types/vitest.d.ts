// The types of the matchers for vitest: `import '@cloakroom/testing/vitest'`.
import type { VaultMatchers } from './index.js';

declare module 'vitest' {
  interface Assertion<T> extends VaultMatchers<void> {}
}
