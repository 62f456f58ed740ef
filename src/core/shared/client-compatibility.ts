/**
 * The deploy setting `clientCompatibility`: `lenient` accepts requests of existing clients
 * (docs/lenient.md).
 */
export type ClientCompatibility = 'strict' | 'lenient';
