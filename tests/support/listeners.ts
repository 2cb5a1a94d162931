import { setMaxListeners } from 'node:events';

// As in a worker: every node that waits listens to the one signal of its run, which is not a leak.
setMaxListeners(0);
