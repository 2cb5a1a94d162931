import { previewExpression, type PreviewTask } from './preview_expression.ts';

addEventListener('message', ({ data: { id, task } }: MessageEvent<{ id: number; task: PreviewTask }>) => {
  void previewExpression(task).then((result) => postMessage({ id, result }));
});
