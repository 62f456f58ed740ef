// Measures one step in a new process: its arguments are the step and the name of the sealed value.
import { measureSealing, type SealedName } from './measure-sealing.ts';

const [, , step, name] = process.argv as string[] & [string, string, 'seal' | 'open', SealedName];
console.log(JSON.stringify(measureSealing(step, name)));
