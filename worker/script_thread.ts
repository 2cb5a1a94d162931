import { parentPort } from 'node:worker_threads';
import { answerScript } from '../functions/runner/nodes/rhai_script/threads/answer_script.ts';
import { lowerPriorityOfThread } from '../functions/runner/nodes/rhai_script/threads/lower_priority.ts';
import type { ThreadRequest } from '../functions/runner/nodes/rhai_script/threads/script_threads.ts';

// What runs in a thread beside a long-lived worker.
lowerPriorityOfThread();
parentPort!.on('message', (request: ThreadRequest) => parentPort!.postMessage(answerScript(request)));
