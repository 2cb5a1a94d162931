import { parseCode, type ParseTask } from './parse_code.ts';

addEventListener('message', ({ data: { id, task } }: MessageEvent<{ id: number; task: ParseTask }>) => {
  parseCode(task).then((faults) => postMessage({ id, faults }), (error) => postMessage({ id, error: String(error) }));
});
