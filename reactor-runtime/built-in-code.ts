// Imported first. Node carries its own modules compiled, and V8 takes what was compiled under other
// flags than its own for stale. The limit of the heap is such a flag. It was read when the heap was
// made, so the limit stays without it, and the modules that follow are not compiled anew.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--max-old-space-size=0');
