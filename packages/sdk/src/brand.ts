interface ErrorClass {
  readonly prototype: object;
}

const isPrototypeOf = (errorClass: ErrorClass, value: object): boolean =>
  Object.prototype.isPrototypeOf.call(errorClass.prototype, value);

/** The prototype's members of a class, in every build of the SDK. */
export const brandOf = (name: string): symbol => Symbol.for(`@cloakroom/sdk:${name}`);

/**
 * Makes `instanceof` recognise errors from every build of the SDK: a program can contain two
 * builds, its own as an ES module and that of a dependency as CommonJS, each with its own classes.
 */
export function brand(errorClass: ErrorClass, name: string): void {
  const mark = brandOf(name);
  Object.defineProperty(errorClass.prototype, mark, { value: true });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: ErrorClass, value: unknown): boolean {
      if (typeof value !== 'object' || value === null) return false;
      // A derived class inherits this, and is no other class.
      return isPrototypeOf(this, value) || (this === errorClass && mark in value);
    },
  });
}
