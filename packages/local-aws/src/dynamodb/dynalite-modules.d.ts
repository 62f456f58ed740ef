// dynalite has no types: `dynalite.ts` says what its modules are.
declare module 'dynalite/*' {
  const internal: unknown;
  export default internal;
}
