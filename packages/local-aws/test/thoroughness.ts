export * from '../../test-kit/src/thoroughness.ts';
