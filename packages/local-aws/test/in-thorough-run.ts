export * from '../../test-kit/src/in-thorough-run.ts';
