import { answerScript } from './answer_script.ts';
import { lowerPriorityOfThread } from './lower_priority.ts';
import type { ThreadRequest } from './script_threads.ts';

/** A web worker that computes scripts: where a function has such threads (locally), its other runs don't wait for them. */
const thread = globalThis as unknown as {
  addEventListener: (name: 'message', listen: (event: { data: ThreadRequest }) => void) => void;
  postMessage: (answer: unknown) => void;
};
lowerPriorityOfThread();
thread.addEventListener('message', ({ data }) => thread.postMessage(answerScript(data)));
