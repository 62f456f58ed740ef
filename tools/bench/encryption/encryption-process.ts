// Measures one step in a new process: its arguments are the step and the name of the encrypted
// value.
import { measureEncryption, type EncryptedName } from './measure-encryption.ts';

const [, , step, name] = process.argv as string[] & [string, string, 'encrypt' | 'decrypt', EncryptedName];
console.log(JSON.stringify(measureEncryption(step, name)));
