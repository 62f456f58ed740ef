export * from '../../test-kit/src/properties.ts';
