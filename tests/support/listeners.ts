import { setMaxListeners } from 'node:events';

// As in a worker: every waiting node listens to the signal of its run, which is not a leak.
setMaxListeners(0);
