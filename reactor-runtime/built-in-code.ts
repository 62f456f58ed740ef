// Imported first. Node ships its own modules compiled, and V8 rejects code that was compiled under
// other flags. The heap limit is such a flag. V8 read it when it created the heap, so the limit
// stays without the flag, and later modules need not be compiled again.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--max-old-space-size=0');
