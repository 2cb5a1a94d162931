import { parentPort } from 'node:worker_threads';
import { answerScript } from '../nodes/rhai_script/threads/answer_script.ts';
import { lowerPriorityOfThread } from '../nodes/rhai_script/threads/lower_priority.ts';
import type { ThreadMessage, ThreadRequest } from '../nodes/rhai_script/threads/script_threads.ts';

// The thread of a long-lived worker that computes scripts.
const post = (message: ThreadMessage) => parentPort!.postMessage(message);
lowerPriorityOfThread();
parentPort!.on('message', (request: ThreadRequest) => post(answerScript(request)));
post('ready');
