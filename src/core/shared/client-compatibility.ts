/**
 * The deploy setting `clientCompatibility`: `lenient` takes what clients already in the field send
 * (docs/lenient.md).
 */
export type ClientCompatibility = 'strict' | 'lenient';
