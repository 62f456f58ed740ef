// dynalite has no types and no exports map: these are the internals that local/dynamodb calls, of the pinned version 4.0.0.

declare module 'dynalite/db/index.js' {
  const db: import('./dynalite-types.ts').DynaliteDb;
  export default db;
}

declare module 'dynalite/validations/index.js' {
  const validations: import('./dynalite-types.ts').DynaliteValidations;
  export default validations;
}

declare module 'dynalite/validations/*.js' {
  const validation: import('./dynalite-types.ts').ActionValidation;
  export default validation;
}

declare module 'dynalite/actions/*.js' {
  const action: import('./dynalite-types.ts').Action;
  export default action;
}
