// Imported first: under the flag of the heap limit, V8 compiles Node's own modules again. The limit
// stays without the flag (docs/decisions/0040-start-the-next-process-in-advance.md).
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--max-old-space-size=0');
