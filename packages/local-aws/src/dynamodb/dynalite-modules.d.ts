// dynalite has no types: `dynalite.ts` declares its modules.
declare module 'dynalite/*' {
  const internal: unknown;
  export default internal;
}
