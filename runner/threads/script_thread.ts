import { answerScript } from './answer_script.ts';
import { lowerPriorityOfThread } from './lower_priority.ts';
import type { ThreadMessage, ThreadRequest } from './script_threads.ts';

// The code of a web worker that computes scripts, so that the function's other runs need not wait for them.
const thread = globalThis as unknown as {
  addEventListener: (name: 'message', listen: (event: { data: ThreadRequest }) => void) => void;
  postMessage: (message: ThreadMessage) => void;
};
lowerPriorityOfThread();
thread.addEventListener('message', ({ data }) => void answerScript(data).then(thread.postMessage.bind(thread)));
thread.postMessage('ready');
