import { setMaxListeners } from 'node:events';

// Each waiting node listens to the signal of its run. This is not a leak, so Node must not warn, as in a worker.
setMaxListeners(0);
