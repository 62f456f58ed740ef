// Imported first: under the flag of the heap limit, V8 compiles Node's own modules again. The limit
// stays without the flag (docs/decisions/0013#start-the-next-process-of-a-reactor-in-advance).
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--max-old-space-size=0');
