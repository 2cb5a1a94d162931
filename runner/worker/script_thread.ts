import { parentPort } from 'node:worker_threads';
import { answerScript } from '../threads/answer_script.ts';
import { lowerPriorityOfThread } from '../threads/lower_priority.ts';
import type { ThreadMessage, ThreadRequest } from '../threads/script_threads.ts';

// The thread of a long-lived worker that computes scripts.
const post = (message: ThreadMessage) => parentPort!.postMessage(message);
lowerPriorityOfThread();
parentPort!.on('message', (request: ThreadRequest) => void answerScript(request).then(post));
post('ready');
